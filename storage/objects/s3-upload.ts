/** Stores bytes in a bucket: in parts, if there are many bytes. */
import type { S3Client } from './s3-client.js'

/** Size of a part of a large file, in bytes. There may be 10,000 parts, so a file may have 160 GB. */
const partSize = 16 * 1024 * 1024

/**
 * Stores bytes under a key. Returns their number. Each request runs through `request`, which may translate
 * errors. An upload in parts that fails is aborted. Only a part of a stream is held in memory; a file on disk, opened as
 * a blob, is read as it is sent.
 */
export async function uploadObject(
  bucket: S3Client,
  key: string,
  source: AsyncIterable<Buffer> | Blob,
  request: <T>(send: () => Promise<T>) => Promise<T>
): Promise<number> {
  const parts: { partNumber: number; etag: string }[] = []
  let uploadId: string | undefined
  let size = 0
  try {
    for await (const part of source instanceof Blob ? sliceIntoParts(source) : splitIntoParts(source)) {
      const length = part instanceof Blob ? part.size : part.length
      size += length
      if (uploadId === undefined && length < partSize) {
        await request(() => bucket.putObject(key, part))
        return size
      }
      uploadId ??= await request(() => bucket.getMultipartUploadId(key))
      const [id, number] = [uploadId, parts.length + 1]
      parts.push(await request(() => bucket.uploadPart(key, id, part, number)))
    }
    if (uploadId !== undefined) {
      const id = uploadId
      await request(() => bucket.completeMultipartUpload(key, id, parts))
    }
    return size
  } catch (error) {
    if (uploadId !== undefined) await bucket.abortMultipartUpload(key, uploadId).catch(() => {})
    throw error
  }
}

/** Slices a blob into parts of equal size, without reading it; the last, or the only one, may be smaller. */
function* sliceIntoParts(blob: Blob): Generator<Blob, void, undefined> {
  let start = 0
  do yield blob.slice(start, start + partSize)
  while ((start += partSize) < blob.size)
}

/** Splits bytes into parts of equal size; the last, or the only one, may be smaller. */
async function* splitIntoParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let chunks: Buffer[] = []
  let length = 0
  let count = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    length += chunk.length
    while (length >= partSize) {
      const all = Buffer.concat(chunks)
      yield all.subarray(0, partSize)
      count++
      chunks = [all.subarray(partSize)]
      length -= partSize
    }
  }
  if (length > 0 || count === 0) yield Buffer.concat(chunks)
}
