/** The names of objects that hold attachments. */

/** The key of an attachment; without an id, what the keys of all of the account begin with. */
export function attachmentKey(account: string, id = ''): string {
  return `file/${account}/${id}`
}
