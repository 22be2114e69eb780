/** Suggests the known name that was most likely meant. */

/** Returns the known name most similar to `name`; `undefined` if none is similar enough. */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  // With more than a third of its characters wrong it is a different word.
  let least = Math.floor(name.length / 3) + 1
  let found: string | undefined
  for (const candidate of known) {
    const distance = computeDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance >= least) continue
    least = distance
    found = candidate
  }
  return found
}

/** Levenshtein distance: characters to add, remove or replace to turn one text into the other. */
function computeDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 0; row < one.length; row++) {
    const current = [row + 1]
    for (let column = 0; column < other.length; column++) {
      const replaced = above[column]! + (one[row] === other[column] ? 0 : 1)
      current.push(Math.min(replaced, above[column + 1]! + 1, current[column]! + 1))
    }
    above = current
  }
  return above.at(-1)!
}
