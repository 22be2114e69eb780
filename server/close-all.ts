/** Functions that close resources, in the order in which these were opened. */
export type Closers = (() => Promise<void> | void)[]

/** Closes resources in reverse order of opening, and empties the list. */
export async function closeAll(closers: Closers): Promise<void> {
  while (closers.length > 0) await closers.pop()!()
}
