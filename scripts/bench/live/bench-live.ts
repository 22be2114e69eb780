/** Runs the figures of sockets and webhooks, each on a server of its own. */
import { join } from 'node:path'
import type { Measure } from '../footprint.js'
import type { Options } from '../options.js'
import { Seeder, type SeededUser } from '../seed.js'
import { Target } from '../target.js'
import { CountingReceiver, measureDeliveries, measureSockets } from './measure-live.js'

const socketUsers = 20
const webhookUsers = 100
const webhooksOfEach = 100

export async function benchLive(directory: string, options: Options): Promise<Measure[]> {
  return [
    ...(await onServer(join(directory, 'sockets'), socketUsers, 0, '', async (target, users) =>
      measureSockets(target, users, options)
    )),
    ...(await deliveries(join(directory, 'webhooks')))
  ]
}

async function deliveries(dataDir: string): Promise<Measure[]> {
  const receiver = new CountingReceiver()
  const url = await receiver.listen()
  const owed = webhookUsers * webhooksOfEach
  try {
    return await onServer(dataDir, webhookUsers, webhooksOfEach, url, async (target, users) =>
      measureDeliveries(target, receiver, owed, users[0]!)
    )
  } finally {
    receiver.close()
  }
}

/** Starts a server on users made for the purpose, each with webhooks that are owed a message. */
async function onServer(
  dataDir: string,
  userCount: number,
  webhookCount: number,
  url: string,
  work: (target: Target, users: readonly SeededUser[]) => Promise<Measure[]>
): Promise<Measure[]> {
  const seeder = new Seeder(dataDir)
  const users: SeededUser[] = []
  for (let n = 0; n < userCount; n++) {
    const user = await seeder.user(`live${n}`, 0)
    users.push(user)
    if (webhookCount > 0) await seeder.webhooks(user, webhookCount, url)
  }
  await seeder.close()
  const target = await Target.start(dataDir, [], { COFFER_WEBHOOKS_ALLOW_INTERNAL_TARGETS: 'true' })
  try {
    return await work(target, users)
  } finally {
    await target.stop()
  }
}
