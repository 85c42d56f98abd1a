/**
 * What the first paint and the parts that come later both use. Each later part imports this, so
 * that all of it is one file of the build: small files compress badly and are asked for singly.
 */
import "preact/hooks";
import "@preact/signals";
import "../api/client.ts";
import "../diff/rows.ts";
import "../diff/patch.ts";
import "../keys.ts";
import "../live.ts";
import "../state/prefs.ts";
import "../state/reading.ts";
import "../state/route.ts";
import "../state/threads.ts";
import "../state/tree.ts";
import "../surface/dom.ts";
import "../surface/icons.ts";
import "../text/format.ts";
import "../text/staging.ts";
import "../text/visible.ts";
import "./clock.ts";
import "./copy.ts";
import "./Later.tsx";
import "./parts.tsx";
import "./space.ts";
import "./States.tsx";
