/** The schema of a user's file, step by step. */
import type { Migration } from '../../migrate.js'
import { attachments } from './004-attachments.js'
import { initial } from './001-initial.js'

export const userMigrations: readonly Migration[] = [initial, attachments]
