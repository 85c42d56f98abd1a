// One round of an agent's work, as script.py does it.
export async function workOff(client) {
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const ask = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(result.content[0].text);
    return result.structuredContent ?? result.content[0].text;
  };
  const contexts = await ask("list_contexts");
  const summary = await ask("get_review_summary");
  const files = await ask("list_changed_files");
  const patch = await ask("read_patch", { path: "a.txt" });
  const content = await ask("read_file", { path: "a.txt" });
  const first = await ask("get_review_comments");
  const [comment] = first.comments;
  const reply = await ask("reply_to_review_comment", { comment_id: comment.id, body: "a typo" });
  const done = await ask("resolve_review_comment", { comment_id: comment.id, note: "gone" });
  const added = await ask("add_review_comment", { body: "and here?", path: "a.txt", start_line: 1 });
  const waited = await ask("wait_for_review_comments", { since: first.next_since, timeout_seconds: 1 });
  const last = await ask("get_review_comments", { status: "all" });
  const refused = await client.callTool({ name: "read_patch", arguments: { path: "none" } });
  return {
    tools,
    contexts: contexts.contexts.length,
    files: summary.scopes.all.files,
    paths: files.untrusted.files.map((file) => file.path),
    patch: patch.includes("+five"),
    content: content.includes("five"),
    reply: reply.status,
    done: done.status,
    added: added.comment_id,
    waited: waited.comments,
    last: last.comments.map((each) => each.id),
    refused: refused.isError ? refused.content[0].text : null,
  };
}
