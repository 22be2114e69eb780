/** Matches text against patterns with `*`. Backtracks to the last `*` only: time is at most pattern length × text length. */

/** Whether a pattern matches the whole text. `*` stands for any number of characters that are not `excluded`. */
export function matches(pattern: string, text: string, excluded = /\s/): boolean {
  let at = 0
  let star = -1
  let next = 0
  for (let index = 0; index < text.length;) {
    if (at < pattern.length && pattern[at] === '*') {
      star = at++
      next = index
    } else if (at < pattern.length && pattern[at] === text[index]) {
      at++
      index++
    } else {
      if (star < 0 || excluded.test(text[next]!)) return false
      // Backtrack: the last star takes one more character.
      at = star + 1
      index = ++next
    }
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}

/** Characters that cannot be part of a scheme, host and port. */
const nonHostCharacter = /[\s/?#\\@]/

/**
 * Whether an origin pattern covers a URL as it was sent. In the host, `*` does not match a `/`; after a complete host name
 * it stands for a port and a path, so that `https://*.example.com*` does not cover
 * `https://evil.example.com.evil.com`.
 */
export function matchesOrigin(pattern: string, url: string): boolean {
  const [hostPattern, pathPattern] = splitUrl(pattern)
  const [host, path] = splitUrl(url)
  if (pathPattern !== '') return matches(hostPattern, host, nonHostCharacter) && matches(pathPattern, path)
  if (!hostPattern.endsWith('*')) return path === '' && matches(hostPattern, host, nonHostCharacter)
  if (/\s/.test(path) || !(path === '' || path.startsWith('/'))) return false
  const isWholeName = /[a-z0-9\]]\*$/i.test(hostPattern) && !/:\d+\*$/.test(hostPattern)
  return isWholeName
    ? matches(hostPattern.slice(0, -1), host.replace(/:\d+$/, ''), nonHostCharacter)
    : matches(hostPattern, host, nonHostCharacter)
}

/** Scheme and host; the rest from the first character that ends a host. */
function splitUrl(url: string): [host: string, rest: string] {
  const scheme = url.indexOf('//')
  const start = scheme < 0 ? 0 : scheme + 2
  const end = url.slice(start).search(/[/?#\\]/)
  return end < 0 ? [url, ''] : [url.slice(0, start + end), url.slice(start + end)]
}
