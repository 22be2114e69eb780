/** Which events an access can read. */

/** The events that an access can read, as sets of stream numbers. */
export type VisibleStreams =
  | { readonly everything: true }
  | {
      readonly everything: false
      /** Numbers of the streams of which an event has to be in at least one. */
      readonly readable: ReadonlySet<number>
      /**
       * Numbers of the streams of which an event must be in none (levels `none` and `create-only`), even if it is in a
       * readable stream as well.
       */
      readonly closed: ReadonlySet<number>
      /** Everything except the values of account fields is readable. */
      readonly isAllButAccountFields?: true
    }
