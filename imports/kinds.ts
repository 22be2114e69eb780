/** What files are that no format reads, so that people are told what they have. */
import type { Notice } from './messages.js'
import type { Head } from './record.js'
import { isTar } from './tar.js'

/** What a file is, as the end of "It is …", and what to do with it. */
export interface Description {
  readonly is: string | Notice
  readonly advice: string
}

export interface Kind extends Description {
  readonly is: string
}

const unpack = 'unpack it, and send what is in it'
const save = 'save it as a workbook (.xlsx), or each of its sheets as CSV'
const other = 'ask the service or the app that made it for an export of data'

/** Tables that are named, and characters of each name. */
const mostTables = 10
const longestTable = 30

const contentTypes = '[Content_Types].xml'
const mimetype = 'mimetype'
/** Where Numbers, Pages and Keynote have what is in their documents. */
const index = /^Index(?:\.zip|\/.+\.iwa)$/
/** The part of an OLE file that holds an encrypted document, as its name is written there. */
const encryptedPart = Buffer.from('EncryptedPackage', 'utf16le')
const ole = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'

/** By the bytes that files begin with. */
const beginnings: readonly (readonly [string, string, string])[] = [
  ['%PDF', 'a PDF', other],
  ['SQLite format 3\0', 'an SQLite database within an archive within another one', unpack],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive', unpack],
  ['Rar!\x1a\x07', 'a RAR archive', unpack],
  ['BZh', 'packed by bzip2', unpack],
  ['\xfd7zXZ\0', 'packed by xz', unpack],
  ['\x28\xb5\x2f\xfd', 'packed by zstd', unpack],
  ['\x1f\x8b', 'packed by gzip, and damaged or within too many archives', unpack],
  ['PK\x05\x06', 'an empty archive', other],
  ['PK\x03\x04', 'a ZIP archive within too many others', unpack],
  [ole, 'a workbook or document of an older office program, or an encrypted one', save],
  ['PAR1', 'a Parquet table', 'save it as CSV'],
  ['\xff\xd8\xff', 'a picture', other],
  ['\x89PNG', 'a picture', other]
]

const tar: Kind = { is: 'a tar archive within too many others', advice: unpack }
const webPage: Kind = {
  is: 'a web page, perhaps an error message in place of the export',
  advice: 'download it again'
}
const workbook: Kind = { is: 'a workbook of another kind than .xlsx', advice: save }
const appleDocument: Kind = { is: 'a document of Numbers, Pages or Keynote', advice: save }
const encrypted: Kind = { is: 'an encrypted workbook or document', advice: 'save it without a password' }
const officeDocument: Kind = { is: 'a document of an office program', advice: other }

/** All that files are said to be: the pages have a text for each. */
export const kinds: readonly Kind[] = [
  ...beginnings.map(([, is, advice]) => ({ is, advice })),
  tar,
  webPage,
  workbook,
  appleDocument,
  encrypted,
  officeDocument
]

/** What a file of no known format is; `undefined` if that is not known either. */
export function kindOf({ bytes, text }: Head): Kind | undefined {
  if (isTar(bytes)) return tar
  if (/^\s*(?:<!doctype html|<html)/i.test(text)) return webPage
  const start = bytes.toString('latin1', 0, 16)
  if (start.startsWith(ole) && bytes.includes(encryptedPart)) return encrypted
  const found = beginnings.find(([beginning]) => start.startsWith(beginning))
  return found && { is: found[1], advice: found[2] }
}

/** What a database is that no format reads, by its tables. */
export function databaseKind(tables: readonly string[]): Description {
  if (tables.length === 0) return { is: { message: 'an SQLite database without a table' }, advice: other }
  const named = tables.slice(0, mostTables).map(name => JSON.stringify(name.slice(0, longestTable)))
  if (tables.length > mostTables) named.push('…')
  const values = { tables: named.join(', ') }
  const message = 'an SQLite database of no app that is known, with the tables {tables}'
  return { is: { message, values }, advice: other }
}

/** Whether a file of an archive says what the archive is. */
export function isPackagePart(name: string): boolean {
  return name === contentTypes || name === mimetype || index.test(name)
}

/** What an archive is that office programs write, by the file that says so; `undefined` for other archives. */
export function packageKind({ name, text }: Head): Kind | undefined {
  if (index.test(name)) return appleDocument
  const isSheet = name === contentTypes ? /spreadsheetml|ms-excel\.sheet/ : /opendocument\.spreadsheet/
  const isOther = name === contentTypes ? /wordprocessingml|presentationml/ : /opendocument\./
  if (isSheet.test(text)) return workbook
  return isOther.test(text) ? officeDocument : undefined
}
