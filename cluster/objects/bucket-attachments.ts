/** Attachments of a single server in a bucket: as in a cluster, local files are only a cache. */
import type { Layout } from '../../storage/files/layout.js'
import { BucketObjects } from './bucket-objects.js'
import { SharedAttachments } from './shared-attachments.js'

/** The bucket, as the settings name it. */
export interface BucketSettings {
  /** `s3://bucket/prefix` */
  readonly objects: string
  readonly cacheBytes: number
  readonly s3: {
    readonly endpoint: string
    readonly region: string
    readonly accessKey: string
    readonly secretKey: string
    readonly timeoutSeconds: number
  }
}

/** Opens the attachments of a data directory. Sends no request yet. */
export function openBucketAttachments(
  { cacheBytes, objects, s3 }: BucketSettings,
  layout: Layout,
  onError: (error: Error) => void
): SharedAttachments {
  const { hostname, pathname } = new URL(objects)
  const folder = pathname.replace(/^\/|\/$/g, '')
  const { accessKey, endpoint, region, secretKey, timeoutSeconds } = s3
  return new SharedAttachments({
    layout,
    objects: new BucketObjects({
      endpoint: endpoint || `https://s3.${region}.amazonaws.com`,
      region,
      bucket: hostname,
      prefix: folder === '' ? '' : `${folder}/`,
      accessKey,
      secretKey,
      timeoutMs: timeoutSeconds * 1000
    }),
    node: 'single',
    cacheBytes,
    assertWriter: () => Promise.resolve(),
    onError
  })
}
