package org.ckpt;

/**
 * What a manager of background tasks does and has done; a snapshot while it works.
 *
 * @param live tasks that have not ended
 * @param running of them, those that a worker has begun
 * @param completed since the manager was made, as the next three
 * @param failed ended with an error
 * @param cancelled were cancelled
 * @param rejected were refused or dropped
 * @param inFlightBytes of live saves, that are not written yet
 * @param writtenBytes by all tasks
 * @param stagingBytes of memory that was allocated for copies
 * @param stallSeconds that callers were kept, in all
 * @param lastStallSeconds by the save staged last
 */
public record AsyncStats(
    long live, long running, long completed, long failed, long cancelled, long rejected, long inFlightBytes, long writtenBytes,
    long stagingBytes, double stallSeconds, double lastStallSeconds) {
  static AsyncStats of(ckpt_async_manager_stats struct) {
    return new AsyncStats(
        struct.getLive(), struct.getRunning(), struct.getCompleted(), struct.getFailed(), struct.getCancelled(),
        struct.getRejected(), struct.getIn_flight_bytes(), struct.getWritten_bytes(), struct.getStaging_bytes(),
        struct.getStall_seconds(), struct.getLast_stall_seconds());
  }
}
