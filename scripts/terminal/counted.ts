/** Numbers of things in words. */

/** `1 account`, `2 accounts`. */
export function counted(count: number, what: string, several = `${what}s`): string {
  return `${count} ${count === 1 ? what : several}`
}
