/** The client for S3-compatible storage, which is not trusted to come to an end. */
import { S3mini } from 's3mini'
import { isPlainXml } from './plain-xml.js'

/** Bytes of the largest answer that is no file: a thousand keys take less. */
const maxResponseBytes = 16 * 1024 * 1024
/** Pages of a list in a row that may bring nothing new. */
const maxEmptyPages = 10

/** The storage answers as no S3-compatible storage does. */
export class UnexpectedResponse extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OddAnswer'
  }
}

/** Asks the storage. What it answers beside the bytes of files is bounded, and so are pages of a list that bring nothing new. */
export class S3Client extends S3mini {
  /** Pages that have been asked for since one brought something new. */
  pages = 0
  /** Time within which the storage has to answer, in milliseconds; of a file, to begin to. By default what `fetch` allows. */
  timeoutMs: number | undefined
  /** The slowest upload that gets its time in addition, in bytes a millisecond. */
  uploadBytesPerMs = Infinity

  override readonly _fetch = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input)
    if (/[?&]list-type=/.test(url) && ++this.pages > maxEmptyPages)
      throw new UnexpectedResponse('the storage lists the same keys again, or none, without an end')
    const timeout = new AbortController()
    const body = init?.body
    const bytes = body instanceof Uint8Array ? body.length : 0
    const abort = (): void => timeout.abort(new Error('the storage has not answered in time'))
    const timer =
      this.timeoutMs === undefined
        ? undefined
        : setTimeout(abort, this.timeoutMs + bytes / this.uploadBytesPerMs)
    try {
      return await fetchChecked(input, { ...init, signal: timeout.signal })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Asks, and reads the answer if it is no file. */
async function fetchChecked(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input)
  const response = await fetch(input, { ...init, redirect: 'manual' })
  if (response.headers.has('location') && response.status >= 300 && response.status < 400)
    throw new UnexpectedResponse(
      `the storage says to look at ${getRedirectOrigin(response, url)}, which is not followed: name that as the endpoint if it is right`
    )
  return response.ok && !url.includes('?') ? response : await readWhole(response)
}

/** Where an answer sends its reader. */
function getRedirectOrigin({ headers }: Response, from: string): string {
  const to = headers.get('location') ?? ''
  return URL.canParse(to, from) ? new URL(to, from).origin : 'another place'
}

/** An answer that is no file: the whole of it, where it is as short and as plain as what the storage has to say. */
async function readWhole(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxResponseBytes)
      throw new UnexpectedResponse('the storage answers with more than it can have to say')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  const { headers, ok, status, statusText } = response
  const isPlain = isPlainXml(text)
  if (ok && !isPlain)
    throw new UnexpectedResponse('the storage answers with something else than S3-compatible storage does')
  return new Response([204, 205, 304].includes(status) ? null : isPlain ? text : '', {
    headers,
    status,
    statusText
  })
}
