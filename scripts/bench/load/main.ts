/** The process that makes the load: kept apart so that its own cost is nobody else's. */
import { run, type Job } from './run.js'

process.on('message', (job: Job) => {
  void run(job).then(load => process.send?.(load))
})
