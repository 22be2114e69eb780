/** The known name that somebody most likely meant. */

/** The one of some names that is most like another; `undefined` if none is like it. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  // More than every third character wrong is another word.
  let least = Math.floor(name.length / 3) + 1
  let found: string | undefined
  for (const candidate of known) {
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase())
    if (distance >= least) continue
    least = distance
    found = candidate
  }
  return found
}

/** Characters to be added, taken away or replaced to make one text of another. */
function distanceOf(one: string, other: string): number {
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
