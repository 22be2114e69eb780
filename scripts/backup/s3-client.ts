/** The client for S3-compatible storage, which is not trusted to come to an end. */
import { S3mini } from 's3mini'
import { BackupError } from './backup-error.js'

/** Bytes of the largest answer that is no file: a thousand keys take less. */
const largestAnswer = 16 * 1024 * 1024
/** Pages of a list in a row that may bring nothing new. */
const emptyPages = 10

/** Asks the storage. What it answers beside the bytes of files is bounded, and so are pages of a list that bring nothing new. */
export class S3Client extends S3mini {
  /** Pages that have been asked for since one brought something new. */
  pages = 0

  override readonly _fetch = async (...asked: Parameters<typeof fetch>): Promise<Response> => {
    const [input] = asked
    const url = input instanceof Request ? input.url : String(input)
    if (/[?&]list-type=/.test(url) && ++this.pages > emptyPages)
      throw new BackupError('the storage lists the same keys again, or none, without an end')
    const answer = await fetch(...asked)
    return answer.ok && !url.includes('?') ? answer : bounded(answer)
  }
}

/** An answer of which no more is taken than there can be to say. */
function bounded(answer: Response): Response {
  if (!answer.body) return answer
  let size = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length
      if (size > largestAnswer) throw new BackupError('the storage answers with more than it can have to say')
      controller.enqueue(chunk)
    }
  })
  const { headers, status, statusText } = answer
  return new Response(answer.body.pipeThrough(counted), { headers, status, statusText })
}
