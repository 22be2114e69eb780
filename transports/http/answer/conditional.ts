/** Conditional requests: a client that has the current version does not need it again. */

/** Whether an `If-None-Match` header names this tag. */
export function isListed(header: string | undefined, tag: string): boolean {
  return (header ?? '').split(',').some(one => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag)
}
