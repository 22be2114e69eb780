/** Whatever connections do: once they are gone, nothing of them counts any more. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { WebSocket } from 'ws'
import { Backlog } from '../../../transports/websocket/backlog.js'
import { ConnectionSlots } from '../../../transports/websocket/connection-slots.js'
import { openCoffer, type Client } from '../../support/coffer.js'
import { KiB, MiB } from '../../support/deaf.js'
import { seeded } from '../../support/random.js'
