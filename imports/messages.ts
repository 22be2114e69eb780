/**
 * Lists the messages about a file as a whole: warnings, and reasons why it cannot be read. Each is an English sentence with its
 * values in braces; the pages translate it.
 */
export const messages = [
  // Warnings
  'The file is cut off: what is whole was read',
  'Weights of Fitbit name no unit: they are taken for pounds',
  'A FIT file is cut off or damaged: what is whole was read',
  'A FIT file does not match its checksum: some of it may be wrong',
  'Timeline Edits hold nothing to import: export the timeline on the phone itself',
  'Dates such as {cell} in "{column}" may be of either order: they are left out until it is said which',
  'Numbers such as {cell} in "{column}" may have decimals or thousands: they are left out until it is said which',
  // Databases
  'The database is cut off: what is whole was read',
  'The database was in use when it was copied: changes in the file beside it that ends in -wal are not in it',
  'The list of tables is damaged: some of them may be missing',
  '{table} is damaged: the rows of {count} of its pages are missing',
  'Some records do not tell their source: what they belong to is damaged, or too much',
  'an SQLite database without a table',
  'an SQLite database of no app that is known, with the tables {tables}',
  // Workbooks
  'The sheet {name} is left out: it is {reason}',
  'Cells are merged: a date or a name counts for all of their rows, any other value for the first cell',
  'The sheet has more than {count} rows: the rest is not read',
  // Files of archives
  'The tar archive is damaged or cut off: the rest is not read',
  'The archive holds more than {count} files: the rest is not read',
  'The archive unpacks to more than 20 GB: the rest is not read',
  '{name} is {reason}',
  '{name} is {is}: {advice}',
  '{name} is not of a known format',
  '{name} is incomplete: the archive ends after {count} bytes of it',
  '{name} is damaged after {count} bytes: {error}',
  '{name} is damaged after {count} bytes, or cut off',
  '{name} is packed by gzip, and damaged',
  '{name} does not match its checksum: some of it may be wrong',
  '{name} is a copy of what is in Apple’s other file: it is not read',
  '{name}: {message}',
  // Why nothing can be read
  'The file is empty',
  'The file is of no format that is known',
  'The file is {is}: {advice}',
  'The SQLite database is damaged at its beginning',
  'The workbook is damaged: it has no list of sheets',
  'The workbook has no sheet with a table',
  'The archive is damaged or cut off: {error}',
  'The archive is damaged: {error}',
  'The archive is encrypted: unpack it with its password, and send what is in it',
  'The file is packed by gzip, and damaged, cut off or packed suspiciously tightly',
  'The archive holds no file of a format that is known',
  'The archive holds no file of a format that is known: {message}',
  'It is nested deeper than {count} levels, as no export is',
  'Something in the file takes more memory than a record may',
  'Something in the file takes longer to read than a record may',
  'It is no FIT file',
  'It is larger than FIT files are',
  'The electrocardiogram names no time or no sampling rate: export it again',
  'It has a track with more than {count} times or places without the other',
  'It is a calendar of version 1.0: export it as iCalendar (.ics)',
  // Why an import has failed
  'The file is no longer available. Upload it again',
  'The file was deleted because it was not imported within {seconds}. Upload it again'
] as const

export type MessageText = (typeof messages)[number]

/** Values by name. The values named `reason`, `is` and `advice` are English texts, which are translated as well. */
export type MessageValues = Readonly<Record<string, string | number | Notice>>

/** A message that is shown in the user's language. */
export interface Notice {
  readonly message: MessageText
  readonly values?: MessageValues
}

/** Maximum length of a text value, in characters. */
const maxValueLength = 300

/** Returns a notice. Long values are truncated, as they may come from the file. */
export function createNotice(message: MessageText, values?: MessageValues): Notice {
  if (!values) return { message }
  const truncated = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, maxValueLength) : value
  ])
  return { message, values: Object.fromEntries(truncated) as MessageValues }
}

/** Returns a notice in English. Placeholders without a value stay. */
export function formatNotice({ message, values = {} }: Notice): string {
  return message.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name]
    return typeof value === 'object' ? formatNotice(value) : String(value ?? placeholder)
  })
}
