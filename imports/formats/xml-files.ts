/** Reads XML files element by element, to the end of the file or to where it is cut off. */
import type { Head, Sink, Source } from '../record.js'
import { textsOf } from '../text/decode.js'
import { XmlScanner, type XmlHandler } from '../text/xml.js'

/** Receives the elements of a file. */
export interface ElementReader extends XmlHandler {
  /** True once the root element has ended. */
  readonly isClosed: boolean
  /** Emits the complete parts of elements that are still open. */
  finish(): void
}

/** Reads a file to its end; warns if its root element has not ended. */
export async function readElements(
  source: Source,
  head: Head,
  sink: Sink,
  reader: ElementReader
): Promise<void> {
  const scanner = new XmlScanner(reader)
  for await (const chunk of textsOf(source, head)) {
    scanner.write(chunk)
  }
  scanner.end()
  if (reader.isClosed) return
  reader.finish()
  sink.warn('The file is cut off: what is whole was read')
}
