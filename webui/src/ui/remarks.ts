/** What is said and shown of files that are more than their lines. It comes beside the first view. */
import "./shared.ts";
import { noticesOf } from "../state/notices.ts";
import { pictureNotes } from "../state/pictures.ts";
import type { Remarks } from "../state/reading.ts";

export const remarksOf: Remarks = (file) => ({ notices: noticesOf(file), notes: pictureNotes(file) });
