/** Describes files that no format reads, so that users learn what kind of file they uploaded. */
import type { Notice } from './messages.js'
import type { FileHead } from './record.js'
import { isTar } from './tar.js'

/** What a file is, as the end of "It is …", and what the user can do. */
export interface FileDescription {
  readonly is: string | Notice
  readonly advice: string
}

interface UnsupportedKind extends FileDescription {
  readonly is: string
}

const unpackAdvice = 'unpack it, and send what is in it'
const saveAdvice = 'save it as a workbook (.xlsx), or each of its sheets as CSV'
const exportAdvice = 'ask the service or the app that made it for an export of data'

/** Maximum number of tables that are named, and of the characters of each name. */
const maxTables = 10
const maxTableLength = 30

const contentTypes = '[Content_Types].xml'
const mimetype = 'mimetype'
/** Content of documents of Numbers, Pages and Keynote. */
const appleDocumentPart = /^Index(?:\.zip|\/.+\.iwa)$/
/** Name of the stream of an OLE file that contains an encrypted document. */
const encryptedPart = Buffer.from('EncryptedPackage', 'utf16le')
const oleSignature = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'

/** Kinds by the first bytes of files: signature, description, advice. */
const signatures: readonly (readonly [string, string, string])[] = [
  ['%PDF', 'a PDF', exportAdvice],
  ['SQLite format 3\0', 'an SQLite database within an archive within another one', unpackAdvice],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive', unpackAdvice],
  ['Rar!\x1a\x07', 'a RAR archive', unpackAdvice],
  ['BZh', 'packed by bzip2', unpackAdvice],
  ['\xfd7zXZ\0', 'packed by xz', unpackAdvice],
  ['\x28\xb5\x2f\xfd', 'packed by zstd', unpackAdvice],
  ['\x1f\x8b', 'packed by gzip, and damaged or within too many archives', unpackAdvice],
  ['PK\x05\x06', 'an empty archive', exportAdvice],
  ['PK\x03\x04', 'a ZIP archive within too many others', unpackAdvice],
  [oleSignature, 'a workbook or document of an older office program, or an encrypted one', saveAdvice],
  ['PAR1', 'a Parquet table', 'save it as CSV'],
  ['\xff\xd8\xff', 'a picture', exportAdvice],
  ['\x89PNG', 'a picture', exportAdvice]
]

const tar: UnsupportedKind = { is: 'a tar archive within too many others', advice: unpackAdvice }
const webPage: UnsupportedKind = {
  is: 'a web page, perhaps an error message in place of the export',
  advice: 'download it again'
}
const workbook: UnsupportedKind = { is: 'a workbook of another kind than .xlsx', advice: saveAdvice }
const appleDocument: UnsupportedKind = { is: 'a document of Numbers, Pages or Keynote', advice: saveAdvice }
const encrypted: UnsupportedKind = {
  is: 'an encrypted workbook or document',
  advice: 'save it without a password'
}
const officeDocument: UnsupportedKind = { is: 'a document of an office program', advice: exportAdvice }

/** All kinds: the pages have a text for each. */
export const unsupportedKinds: readonly UnsupportedKind[] = [
  ...signatures.map(([, is, advice]) => ({ is, advice })),
  tar,
  webPage,
  workbook,
  appleDocument,
  encrypted,
  officeDocument
]

/** Describes a file of no known format; returns `undefined` if its kind is unknown, too. */
export function describeUnsupported({ bytes, text }: FileHead): UnsupportedKind | undefined {
  if (isTar(bytes)) return tar
  if (/^\s*(?:<!doctype html|<html)/i.test(text)) return webPage
  const start = bytes.toString('latin1', 0, 16)
  if (start.startsWith(oleSignature) && bytes.includes(encryptedPart)) return encrypted
  const found = signatures.find(([signature]) => start.startsWith(signature))
  return found && { is: found[1], advice: found[2] }
}

/** Describes a database that no format reads, by its tables. Names only the first tables. */
export function describeDatabase(tables: readonly string[]): FileDescription {
  if (tables.length === 0)
    return { is: { message: 'an SQLite database without a table' }, advice: exportAdvice }
  const tableNames = tables.slice(0, maxTables).map(name => JSON.stringify(name.slice(0, maxTableLength)))
  if (tables.length > maxTables) tableNames.push('…')
  const values = { tables: tableNames.join(', ') }
  const message = 'an SQLite database of no app that is known, with the tables {tables}'
  return { is: { message, values }, advice: exportAdvice }
}

/** Returns true if a file of an archive identifies an office document. */
export function isPackagePart(name: string): boolean {
  return name === contentTypes || name === mimetype || appleDocumentPart.test(name)
}

/** Describes an office document by the file that identifies it; returns `undefined` for other archives. */
export function describePackage({ name, text }: FileHead): UnsupportedKind | undefined {
  if (appleDocumentPart.test(name)) return appleDocument
  const sheetPattern = name === contentTypes ? /spreadsheetml|ms-excel\.sheet/ : /opendocument\.spreadsheet/
  const documentPattern = name === contentTypes ? /wordprocessingml|presentationml/ : /opendocument\./
  if (sheetPattern.test(text)) return workbook
  return documentPattern.test(text) ? officeDocument : undefined
}
