/** Validates the channels of a foreign file, and the messages for them. */
import { Type } from 'typebox'
import { Channel, DeliveryError, DeliveryState, MessageSource, TargetSecrets } from '../../schemas/channel.js'
import { compileShape, type Examiner } from './examiner.js'

const isChannel = compileShape(Channel)
const areSecrets = compileShape(TargetSecrets)
const isError = compileShape(DeliveryError)
const isMessage = compileShape(
  Type.Object({
    title: Type.String({ maxLength: 200 }),
    text: Type.String({ maxLength: 1500 }),
    urgency: Type.Enum(['low', 'normal', 'high']),
    page: Type.Optional(Type.String()),
    actions: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), title: Type.String(), page: Type.String() }))
    ),
    source: MessageSource
  })
)
const isRow = compileShape(
  Type.Object({
    state: DeliveryState,
    attempts: Type.Integer({ minimum: 0 }),
    queued: Type.Number(),
    last: Type.Union([Type.Number(), Type.Null()]),
    next: Type.Union([Type.Number(), Type.Null()])
  })
)

/** Where calls go: only these URLs are called. */
const isWebUrl = (url: string | undefined): boolean => url === undefined || /^https?:\/\//.test(url)

/** Reports problems with channels, their secrets, and messages. */
export function examineChannels(examiner: Examiner): void {
  const { file } = examiner
  for (const { access, body, id, secrets } of file.rows('SELECT * FROM channel')) {
    const channel = examiner.read('channel', id, body, isChannel) as Channel | undefined
    const hidden = examiner.read('channel', id, secrets, areSecrets) as TargetSecrets | undefined
    if (!channel) continue
    const isIndexed = channel.id === id && channel.accessId === access
    examiner.check(isIndexed, 'channel', id, "is indexed under values that don't match its content")
    const areUrls = isWebUrl(channel.target.url) && isWebUrl(hidden?.endpoint)
    examiner.check(areUrls, 'channel', id, 'has a target that the service does not call')
  }
  const stray = file.first('SELECT id FROM channel WHERE access NOT IN (SELECT id FROM access)')
  examiner.check(stray === undefined, 'channel', stray, 'belongs to no access')
  for (const { body, channel, error, ...row } of file.rows('SELECT * FROM channel_message')) {
    examiner.check(isRow(row), 'channel', channel, 'has a message that is not indexed as the service does it')
    examiner.read('channel', channel, body, isMessage)
    if (error !== null) examiner.read('channel', channel, error, isError)
  }
  const lost = file.first('SELECT channel FROM channel_message WHERE channel NOT IN (SELECT id FROM channel)')
  examiner.check(lost === undefined, 'channel', lost, 'has messages, but does not exist')
}
