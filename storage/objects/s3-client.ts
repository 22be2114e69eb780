/** A client for S3-compatible storage that does not rely on requests to complete. */
import { setTimeout as wait } from 'node:timers/promises'
import { S3mini } from 's3mini'

/** Maximum size of a response that is not a file, in bytes: a list of a thousand keys is smaller. */
const maxResponseBytes = 16 * 1024 * 1024
/** Maximum number of consecutive list pages without new keys. */
const maxEmptyPages = 10

/** The response is not one of S3-compatible storage. */
class UnexpectedResponse extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnexpectedResponse'
  }
}

/** Maximum number of keys per list page. */
const maxKeysPerPage = 1000

/**
 * Sends requests to the storage. The size of its responses is limited, except for files, and so are list pages without
 * new keys. A success that reports an error is a failure.
 */
export class S3Client extends S3mini {
  /** Time limit for the response in milliseconds; for a file, for its beginning. By default the limit of `fetch`. */
  timeoutMs: number | undefined
  /** The slowest upload for which the time limit is extended, in bytes per millisecond. */
  uploadBytesPerMs = Infinity

  override readonly _fetch = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const timeout = new AbortController()
    const body = init?.body
    const bytes = body instanceof Blob ? body.size : body instanceof Uint8Array ? body.length : 0
    const abort = (): void => timeout.abort(new Error('the storage has not answered in time'))
    const timer =
      this.timeoutMs === undefined
        ? undefined
        : setTimeout(abort, this.timeoutMs + bytes / this.uploadBytesPerMs)
    try {
      // `fetch` sets the length itself, and a newer undici, if the process has loaded one, refuses it twice.
      const headers = init?.headers && new Headers(init.headers)
      headers?.delete('content-length')
      return await fetchChecked(input, { ...init, ...(headers && { headers }), signal: timeout.signal })
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Lists the objects with a prefix, page by page. `add` receives the key and size (bytes) of each; it returns true if the
   * object is new. Returns false if the bucket does not exist. Throws {@link UnexpectedResponse} after too many pages in a row
   * without a new object.
   */
  async listAll(prefix: string, add: (key: string, size: number) => boolean): Promise<boolean> {
    let pages = 0
    let token: string | undefined
    do {
      if (++pages > maxEmptyPages)
        throw new UnexpectedResponse('the storage lists the same keys again, or none, without an end')
      // With 0, the library requests one page only, of as many keys as the parameter has.
      const page = await this.listObjectsPaged('/', prefix, 0, token, { 'max-keys': String(maxKeysPerPage) })
      if (!page) return false
      for (const { Key, Size } of page.objects ?? []) if (Key.startsWith(prefix) && add(Key, Size)) pages = 0
      token = page.nextContinuationToken
    } while (token !== undefined && token !== '')
    return true
  }

  /** Removes an object, if it exists. */
  async removeObject(key: string): Promise<void> {
    try {
      await this.deleteObject(key)
    } catch (error) {
      // Some storages refuse to remove an object that does not exist.
      const { body = '', status } = error as { readonly body?: string; readonly status?: number }
      if (status !== 404 || !body.includes('<Code>NoSuchKey</Code>')) throw error
    }
  }
}

/** Sends a request, and reads the response unless it is a file: also that to an upload, which may be anything but a success. */
async function fetchChecked(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input)
  // Only so does `fetch` not keep all that it has sent of a file, in case that it is to be sent again.
  const isFile = init?.body instanceof Blob
  const options: RequestInit = isFile ? { redirect: 'error', window: null } : { redirect: 'manual' }
  const response = await sendRequest(input, { ...init, ...options })
  if (response.headers.has('location') && response.status >= 300 && response.status < 400)
    throw new UnexpectedResponse(
      `the storage says to look at ${getRedirectOrigin(response, url)}, which is not followed: name that as the endpoint if it is right`
    )
  return response.ok && init?.method === 'GET' && !url.includes('?') ? response : await readWhole(response)
}

/** Errors of connections that were closed before a response. */
const closed: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Statuses of a storage that is busy and has not processed the request, and of one that may have. */
const [refusedStatuses, failedStatuses] = [new Set([429, 503]), new Set([500, 502, 504])]
/** Times after which a request is sent again to a storage that is busy or failed, in milliseconds. */
const pausesMs = [250, 1000]

/**
 * Sends a request; again if the storage is busy, and, if repeating changes nothing, also if it failed or has just closed the
 * idle connection.
 */
async function sendRequest(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input)
  const isRepeatable = init?.method !== 'POST' || /[?&]delete(?:[=&]|$)/.test(url)
  const send = async (): Promise<Response> => {
    try {
      return await fetch(input, init)
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown }
      if (!isRepeatable || !closed.has(code) || init?.signal?.aborted === true) throw error
      return await fetch(input, init)
    }
  }
  let response = await send()
  for (const pauseMs of pausesMs) {
    const { status } = response
    if (!refusedStatuses.has(status) && !(isRepeatable && failedStatuses.has(status))) break
    // Until it is read, the connection cannot be used again.
    await readWhole(response)
    await wait(pauseMs)
    response = await send()
  }
  return response
}

/** Returns the origin that a response redirects to. */
function getRedirectOrigin({ headers }: Response, from: string): string {
  const to = headers.get('location') ?? ''
  return URL.canParse(to, from) ? new URL(to, from).origin : 'another place'
}

/**
 * Reads a response that is not a file, and returns it with its body in memory. Throws {@link UnexpectedResponse} if it is
 * too long, or a success whose body is neither empty nor plain XML; other errors get an empty body instead.
 */
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
  if (ok && !isPlain) throw new UnexpectedResponse('the response is not that of an S3-compatible storage')
  // The status of an upload is sent before its parts have been put together, which may then fail.
  if (ok && isErrorXml(text)) {
    const [, code = 'unknown'] = /<Code>([\w.]{1,100})</.exec(text) ?? []
    throw new UnexpectedResponse(`the storage reports an error: ${code}`)
  }
  return new Response([204, 205, 304].includes(status) ? null : isPlain ? text : '', {
    headers,
    status,
    statusText
  })
}

/** Returns whether the root element of a response is an error. Takes linear time. */
function isErrorXml(text: string): boolean {
  const content = text.trimStart().replace(/^<\?xml [^<>?]{0,200}\?>/, '')
  return /^<Error[\s>]/.test(content.trimStart())
}

/** Maximum nesting of elements in a response. */
const maxDepth = 10
const tag = /<(\/?)([A-Za-z_][\w.:-]{0,100})((?:\s[^<>]*)?\/?)>/y

/**
 * Returns whether a text is empty, or well-nested elements without comments, declarations and sections: for anything
 * else parsers may take quadratic time. Takes linear time.
 */
function isPlainXml(text: string): boolean {
  const open: string[] = []
  const start = /^\s*<\?xml [^<>?]{0,200}\?>/.exec(text)?.[0].length ?? 0
  for (let at = text.indexOf('<', start); at >= 0; at = text.indexOf('<', tag.lastIndex)) {
    tag.lastIndex = at
    const [, slash, name, rest = ''] = tag.exec(text) ?? []
    if (name === undefined) return false
    if (slash === '/') {
      if (open.pop() !== name) return false
    } else if (!rest.endsWith('/') && open.push(name) > maxDepth) return false
  }
  return open.length === 0
}
