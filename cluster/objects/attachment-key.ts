/** The names of objects that hold attachments. */

/** Returns the key of an attachment; without an id, the prefix of the keys of all attachments of the account. */
export function attachmentKey(account: string, id = ''): string {
  return `file/${account}/${id}`
}
