/**
 * The files of an export as a folder that people can read: a table for each measure and other kind of data, and files by date, as
 * exports of the API's own methods. (docs/api/exports.md#a-folder-to-read)
 */
import type { ArchiveFile } from '../account/archive.js'
import { FreePaths, toSafeFileName } from './file-names.js'
import { folderTexts, type FolderLanguage, type FolderTexts } from './folder-texts.js'
import { TimeFormatter } from './time-formatter.js'

/** Calls methods on behalf of the caller of the export. */
interface FolderCalls {
  /** Returns the result of a method. */
  read(method: string, params: object): Promise<unknown>
  /** Returns the document of `events.export`, text by text. */
  readDocument(params: object): AsyncGenerator<string, void, undefined>
  /** Returns the bytes of a file. */
  readFile(id: string): AsyncGenerator<Buffer, void, undefined>
}

interface FolderOptions {
  readonly username: string
  readonly zone: string
  readonly language: FolderLanguage
  /** Seconds. */
  readonly now: number
}

interface Source {
  readonly streamId: string
  readonly type: string
}

interface Measure {
  readonly id: string
  readonly names?: Readonly<Record<FolderLanguage, string>>
  readonly name?: string
}

interface FileEvent {
  readonly time: number
  readonly attachments?: readonly { readonly id: string; readonly fileName: string; readonly type: string }[]
}

const readMeName = 'README.txt'

/**
 * Yields the files. The list of attachments takes a pass over all events, after the tables. What methods
 * refuse is thrown while the files are read.
 */
export async function* listFolderFiles(
  calls: FolderCalls,
  options: FolderOptions
): AsyncGenerator<ArchiveFile, void, undefined> {
  const { language, now, username, zone } = options
  const texts = folderTexts[language]
  const paths = new FreePaths()
  const instants = new TimeFormatter(zone)
  const readMe = texts.readMe({ username, zone, day: instants.format(now).slice(0, 10) })
  yield {
    name: paths.take('', readMeName),
    isText: true,
    async *bytes() {
      yield Buffer.from(`\ufeff${readMe.replaceAll('\n', '\r\n')}`)
    }
  }
  for (const { folder, name, sources } of await listTables(calls, texts, language))
    yield {
      name: paths.take(`${folder}/`, toSafeFileName(`${name}.csv`)),
      isText: true,
      bytes: () => writeTable(calls, sources, zone)
    }
  for await (const event of listFileEvents(calls))
    for (const { fileName, id, type } of event.attachments ?? []) {
      const written = instants.format(event.time)
      const [month, time] = [written.slice(0, 7), written.slice(0, 16).replace('T', ' ').replace(':', '.')]
      const folder = type.startsWith('image/') ? texts.photos : texts.files
      yield {
        name: paths.take(`${folder}/${month || '-'}/`, toSafeFileName(`${time} ${fileName}`)),
        isText: false,
        bytes: () => calls.readFile(id)
      }
    }
}

interface Table {
  readonly folder: string
  readonly name: string
  readonly sources: readonly Source[]
}

/** Lists the tables: of each measure with data, and of each type that belongs to no measure. */
async function listTables(
  calls: FolderCalls,
  texts: FolderTexts,
  language: FolderLanguage
): Promise<Table[]> {
  const { facts: measured } = (await calls.read('measures.facts', {})) as {
    readonly facts: readonly { readonly measure: string; readonly sources: readonly Source[] }[]
  }
  const { facts } = (await calls.read('streams.facts', {})) as { readonly facts: readonly Source[] }
  const ids = measured.map(({ measure }) => measure)
  const { measures } =
    ids.length === 0
      ? { measures: [] }
      : ((await calls.read('measures.get', { ids })) as { readonly measures: readonly Measure[] })
  const tables = measured.map(({ measure: id, sources }): Table => {
    const measure = measures.find(each => each.id === id)
    return { folder: texts.tables, name: measure?.names?.[language] ?? measure?.name ?? id, sources }
  })
  const inMeasures = new Set(tables.flatMap(({ sources }) => sources.map(toKey)))
  const others = new Map<string, Source[]>()
  for (const source of facts) {
    // Account fields are in no folder.
    if (source.streamId.startsWith(':') || inMeasures.has(toKey(source))) continue
    const name = source.type.replace(/^series:/, '').replace('/', ' ')
    const known = others.get(name)
    if (known) known.push(source)
    else others.set(name, [source])
  }
  return [...tables, ...[...others].map(([name, sources]) => ({ folder: texts.others, name, sources }))]
}

function toKey({ streamId, type }: Source): string {
  return `${streamId} ${type}`
}

/** Maximum number of streams of one export. */
const maxStreams = 100

/** Writes a table: events of each type in the streams that have it, earliest first. */
async function* writeTable(
  calls: FolderCalls,
  sources: readonly Source[],
  zone: string
): AsyncGenerator<Buffer, void, undefined> {
  let hasHeader = false
  for (const type of new Set(sources.map(source => source.type))) {
    const streams = sources.filter(source => source.type === type).map(({ streamId }) => `${streamId}!`)
    for (let at = 0; at < streams.length; at += maxStreams) {
      const params = {
        format: 'csv',
        streams: streams.slice(at, at + maxStreams),
        types: [type],
        series: true,
        sortAscending: true,
        zone,
        bom: !hasHeader
      }
      let rest = hasHeader
      for await (const text of calls.readDocument(params)) {
        // Only the first export has a header.
        const from = rest ? text.indexOf('\r\n') : -2
        if (rest && from < 0) continue
        rest = false
        if (text.length > from + 2) yield Buffer.from(text.slice(from + 2))
      }
      hasHeader = true
    }
  }
}

/** Yields the events with files, earliest first. */
async function* listFileEvents(calls: FolderCalls): AsyncGenerator<FileEvent, void, undefined> {
  let parts: string[] = []
  for await (const text of calls.readDocument({ format: 'ndjson', sortAscending: true })) {
    const [end, ...begins] = text.split('\n')
    parts.push(end!)
    for (const begin of begins) {
      const line = parts.join('')
      parts = [begin]
      if (line.includes('"attachments":[')) yield JSON.parse(line) as FileEvent
    }
  }
}
