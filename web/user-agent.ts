/** Recognizes browsers and systems by the `User-Agent` header. */

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari']
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux']
]

interface UserAgent {
  /** Name of the browser or of another program; undefined if it has none that can be shown. */
  readonly browser: string | undefined
  readonly system: string | undefined
}

/**
 * Parses a `User-Agent` header. An unknown browser is the program's own name; parts that are not found are
 * undefined.
 */
export function parseUserAgent(userAgent: string): UserAgent {
  const [program] = /^[A-Za-z][\w.-]{0,30}/.exec(userAgent) ?? []
  return { browser: findName(browsers, userAgent) ?? program, system: findName(systems, userAgent) }
}

function findName(names: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1]
}
