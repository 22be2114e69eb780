/** Encodes forms with files as byte streams, so that files can be streams and progress can be counted. */

/** A file of a form. A stream is read while it is sent, so such a form can be sent only once. */
export interface FilePart {
  readonly fileName: string
  /** Media type. Default: the type of the blob, or `application/octet-stream`. */
  readonly type?: string
  readonly content: Blob | ReadableStream<Uint8Array>
  /** Size of a stream in bytes, if known: for the progress. */
  readonly size?: number
}

/** Files, and optionally a JSON value with its name. */
export interface Form {
  readonly name?: string
  readonly value?: object
  readonly files: readonly FilePart[]
}

/** A form field: its name, and a file or a text. */
type FormField = readonly [name: string, content: FilePart | string]

/** An encoded form. */
export interface EncodedForm {
  readonly type: string
  readonly body: ReadableStream<Uint8Array>
  /** Total bytes; `undefined` if the size of a stream is not known. */
  readonly total: number | undefined
}

/** Encodes a form. `onBytes` is called with the number of bytes read so far. */
export function encodeForm(form: Form | FormData, onBytes: (bytes: number) => void): EncodedForm {
  const boundary = `----${crypto.randomUUID()}`
  const encoder = new TextEncoder()
  const chunks = listFields(form).flatMap(([name, content]): (Uint8Array | FilePart)[] => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`
    if (typeof content === 'string') return [encoder.encode(`${head}\r\n\r\n${content}\r\n`)]
    const fileHead = `; filename="${escapeName(content.fileName)}"\r\nContent-Type: ${getMediaType(content)}\r\n\r\n`
    return [encoder.encode(head + fileHead), content, encoder.encode('\r\n')]
  })
  chunks.push(encoder.encode(`--${boundary}--\r\n`))
  const sizes = chunks.map(chunk => (chunk instanceof Uint8Array ? chunk.length : getSize(chunk)))
  const source = readBytes(chunks)
  let sent = 0
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    total: sizes.every(size => size !== undefined) ? sizes.reduce((sum, size) => sum + size, 0) : undefined,
    body: new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await source.next()
        if (done) return controller.close()
        controller.enqueue(value)
        onBytes((sent += value.length))
      },
      async cancel() {
        await source.return()
      }
    })
  }
}

/** Converts a form to the platform's `FormData`. Reads streams into memory. */
export async function toFormData(form: Form): Promise<FormData> {
  const data = new FormData()
  for (const [name, part] of listFields(form))
    if (typeof part === 'string') data.append(name, part)
    else {
      const { content, fileName } = part
      const blob = content instanceof Blob ? content : await new Response(content).blob()
      data.append(name, new Blob([blob], { type: getMediaType(part) }), fileName)
    }
  return data
}

function listFields(form: Form | FormData): FormField[] {
  if (form instanceof FormData)
    return Array.from(form, ([name, content]) => [
      name,
      typeof content === 'string' ? content : { fileName: content.name, content }
    ])
  const { files, name = 'params', value } = form
  return [
    ...(value === undefined ? [] : [[name, JSON.stringify(value)] as const]),
    ...files.map((file, index) => [`file${index}`, file] as const)
  ]
}

/** Yields the bytes of all chunks and files. A file that is not read to its end is cancelled. */
async function* readBytes(chunks: readonly (Uint8Array | FilePart)[]): AsyncGenerator<Uint8Array, void> {
  for (const chunk of chunks)
    if (chunk instanceof Uint8Array) yield chunk
    else {
      const { content } = chunk
      const reader = (content instanceof Blob ? content.stream() : content).getReader()
      try {
        for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
      } finally {
        await reader.cancel()
      }
    }
}

function getMediaType({ content, type }: FilePart): string {
  const declared = type ?? (content instanceof Blob ? content.type : '')
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.-]+)*$/.test(declared)
    ? declared
    : 'application/octet-stream'
}

function getSize({ content, size }: FilePart): number | undefined {
  return content instanceof Blob ? content.size : size
}

/** Escapes a name as browsers do in forms. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
