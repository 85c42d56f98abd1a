/** A request that was answered with a refusal: why, what to do, and the detail to report. */
import "./shared.ts";
import type { Failure } from "../api/client.ts";
import { type FailedProps, lasts, State } from "./States.tsx";

const TITLES: Partial<Record<Failure["code"], string>> = {
  not_found: "There is no such review",
  deleted: "This review was deleted",
  expired: "This review has expired",
  unauthorized: "This server wants to know who you are",
};

const HINTS: Partial<Record<Failure["code"], string>> = {
  not_found: "The link may belong to another server, or to a database that was kept in memory only.",
  deleted: "A deleted review does not come back. Collect the checkout again to review it anew.",
  expired: "Reviews are kept for a number of days after they were last collected. Collect the checkout again.",
};

export function Refused({ failure, retry }: FailedProps) {
  const { code, detail, request, status } = failure;
  return (
    <State title={TITLES[code] ?? "That did not work"}>
      <p>{HINTS[code] ?? detail}</p>
      <p class="actions">
        {!lasts(failure) && <button type="button" class="primary" onClick={retry}>Try again</button>}
        <a class="button" href="/" data-link>All reviews</a>
      </p>
      <p class="detail"><code>{request}</code> answered {status} ({code}): {detail}</p>
    </State>
  );
}
