/** Opens the storage of objects that the settings name. */
import type { Connected } from '../nats/connection.js'
import type { Objects } from '../objects.js'
import { BucketObjects, type BucketOptions } from './bucket-objects.js'
import { EngineObjects } from './engine-objects.js'

/** Returns whether objects are stored in the engine, which needs a stream for them. */
export function usesEngine(setting: string): boolean {
  return setting === 'nats'
}

/**
 * Opens the storage that a setting names: `nats`, or `s3://accessKey:secretKey@bucket/prefix?endpoint=URL&region=NAME`.
 * Keys default to the environment: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. Throws an error that says what is
 * missing.
 */
export function openObjects(
  setting: string,
  engine: Connected,
  environment: NodeJS.ProcessEnv = process.env
): Objects {
  return usesEngine(setting)
    ? new EngineObjects(engine)
    : new BucketObjects(parseBucketOptions(setting, environment))
}

/** Parses the address of a bucket. Throws an error if the keys are missing. */
export function parseBucketOptions(address: string, environment: NodeJS.ProcessEnv): BucketOptions {
  const { hostname, password, pathname, searchParams, username } = new URL(address)
  const region = searchParams.get('region') ?? 'us-east-1'
  const accessKey = decodeURIComponent(username) || environment['AWS_ACCESS_KEY_ID']
  const secretKey = decodeURIComponent(password) || environment['AWS_SECRET_ACCESS_KEY']
  if (!accessKey || !secretKey)
    throw new Error('cluster.objects needs keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  const folder = pathname.replace(/^\/|\/$/g, '')
  return {
    endpoint: searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket: hostname,
    prefix: folder === '' ? '' : `${folder}/`,
    accessKey,
    secretKey
  }
}
