/** Limits that threads share. */
import type { Shard } from '../core/call/shard.js'
import type { Config } from '../core/settings/config.js'

/** Returns the configuration with the webhook limits divided among the threads. */
export function forShard(config: Config, { map: { size } }: Shard): Config {
  const { concurrency, perSecond } = config.webhooks
  const [calls, pace] = [concurrency, perSecond].map(max => Math.max(1, Math.round(max / size)))
  return { ...config, webhooks: { ...config.webhooks, concurrency: calls!, perSecond: pace! } }
}
