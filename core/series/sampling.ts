/** A sample of a range, as a list that is read chunk by chunk. */
import type { Sampler } from '../../storage/series/sampler.js'
import type { UserStore } from '../../storage/user-store.js'
import type { Listing, Page } from '../json.js'

export class SampledListing implements Listing<UserStore> {
  constructor(private readonly sampler: Sampler) {}

  next({ series }: UserStore): Page {
    return series.sample(this.sampler)
  }
}
