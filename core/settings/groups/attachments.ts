/** Settings of attachments: on disk, or in a bucket with the disk as a cache. (docs/operation.md#attachments-in-a-bucket) */
import { Type, type Static } from 'typebox'
import { formText, group, integer, secret, seconds, text } from '../kinds.js'

export const attachments = group({
  objects: Type.String({
    default: '',
    pattern: '^(?:s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[A-Za-z0-9_][A-Za-z0-9._/-]*)?)?$',
    description:
      'Bucket for attachments, as s3://bucket/prefix, which no other service may use. If empty, they are on the disk only. Not for a cluster, which has cluster.objects'
  }),
  cacheBytes: integer(
    'Maximum size of attachments kept on the disk as a cache of the bucket, in bytes. 0: no limit',
    10 * 1024 * 1024 * 1024,
    0
  ),
  s3: group({
    endpoint: formText('webUrl', 'URL of an S3-compatible storage. If empty, Amazon S3 in the region'),
    region: text('Region of the S3 bucket', 'us-east-1'),
    accessKey: secret('S3 access key'),
    secretKey: secret('S3 secret key'),
    timeoutSeconds: seconds('Time after which a request without a response fails, in seconds', 60)
  })
})
type Attachments = Static<typeof attachments>

/** Returns the problems of these settings together. The values may be of any type: the schema check reports wrong types. */
export function findAttachmentProblems({ objects, s3 }: Attachments, node: unknown): string[] {
  if (objects === '') return []
  return [
    ...(s3.accessKey === '' || s3.secretKey === ''
      ? ['attachments.s3.accessKey and attachments.s3.secretKey must be set when attachments.objects is set']
      : []),
    ...(node === ''
      ? []
      : [
          'attachments.objects cannot be set with cluster.node, which has cluster.objects. Run "coffer move-attachments --to disk" before creating a cluster'
        ])
  ]
}
