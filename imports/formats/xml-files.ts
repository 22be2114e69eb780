/** What formats of XML have in common: elements one by one, to the end of the file or where it is cut off. */
import type { Head, Sink, Source } from '../record.js'
import { textsOf } from '../text/decode.js'
import { XmlScanner, type XmlHandler } from '../text/xml.js'

/** Takes the elements of a file. */
export interface ElementReader extends XmlHandler {
  /** Whether the element around all others has ended. */
  readonly isClosed: boolean
  /** Emits what is complete of the elements that are still open. */
  finish(): void
}

/** Reads a file to its end; says so if that is not the end of its content. */
export async function readElements(
  source: Source,
  head: Head,
  sink: Sink,
  reader: ElementReader
): Promise<void> {
  const scanner = new XmlScanner(reader)
  for await (const piece of textsOf(source, head)) {
    scanner.write(piece)
  }
  scanner.end()
  if (reader.isClosed) return
  reader.finish()
  sink.warn('The file is cut off: what is whole was read')
}
