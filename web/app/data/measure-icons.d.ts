/** The icons of measures, made by the build (`scripts/measure-icons.mjs`): data of a path in a square of 24, by name in Lucide. */
export const paths: Readonly<Record<string, string>>
