//===- Queues.cpp - the C API's queues, timelines and profiles --------------===//
#include "runtime/c-api/Handles.h"

#include "support/EnglishText.h"

using namespace pumice;
using namespace pumice::capi;

namespace {

Status create(pumice_device *device, const pumice_queue_options *options, pumice_queue **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "queue"));
  PUMICE_RETURN_IF_ERROR(check(device, "device"));
  PUMICE_TRY(pumice_queue_options given, readStruct(options, "options"));
  if (given.profiling > 1)
    return invalid("options: profiling is " + std::to_string(given.profiling) +
                   "; expected 0 or 1");
  PUMICE_TRY(Ref<hal::Device> working, device->working());
  PUMICE_TRY(Ref<hal::Queue> made, working->createQueue({.profiling = given.profiling != 0}));
  *place = new pumice_queue;
  (*place)->object = std::move(made);
  return Status::ok();
}

Status checkHost(const void *memory, uint64_t bytes, std::string_view what) {
  if (!memory && bytes != 0)
    return invalid(std::string(what) + " is NULL, but must have " + counted(bytes, "byte"));
  if (bytes > SIZE_MAX)
    return invalid(std::string(what) + ": " + counted(bytes, "byte") +
                   " do not fit into the host's address space");
  return Status::ok();
}

Status upload(pumice_queue *queue, pumice_buffer *to, uint64_t offset, const void *from,
              uint64_t bytes) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  PUMICE_TRY(hal::BufferRange range, rangeOf(to, offset, bytes, "to"));
  PUMICE_RETURN_IF_ERROR(checkHost(from, range.bytes, "from"));
  return queue->object->upload(
      range, {static_cast<const std::byte *>(from), static_cast<size_t>(range.bytes)});
}

Status download(pumice_queue *queue, void *to, pumice_buffer *from, uint64_t offset,
                uint64_t bytes) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  PUMICE_TRY(hal::BufferRange range, rangeOf(from, offset, bytes, "from"));
  PUMICE_RETURN_IF_ERROR(checkHost(to, range.bytes, "to"));
  return queue->object->download({static_cast<std::byte *>(to), static_cast<size_t>(range.bytes)},
                                 range);
}

Status copy(pumice_queue *queue, pumice_buffer *to, uint64_t toOffset, pumice_buffer *from,
            uint64_t fromOffset, uint64_t bytes) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  PUMICE_TRY(hal::BufferRange target, rangeOf(to, toOffset, bytes, "to"));
  PUMICE_TRY(hal::BufferRange source, rangeOf(from, fromOffset, bytes, "from"));
  if (bytes == PUMICE_TO_END && target.bytes != source.bytes)
    return invalid("bytes is PUMICE_TO_END, but 'to' ends after " + counted(target.bytes, "byte") +
                   " and 'from' after " + std::to_string(source.bytes) +
                   ": say how many bytes to copy");
  return queue->object->copy(target, source);
}

Status fill(pumice_queue *queue, pumice_buffer *to, uint64_t offset, uint64_t bytes,
            uint32_t pattern, uint32_t patternBytes) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  PUMICE_TRY(hal::BufferRange range, rangeOf(to, offset, bytes, "to"));
  return queue->object->fill(range, pattern, patternBytes);
}

Status checkBoth(const pumice_queue *queue, const pumice_timeline *timeline) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  return check(timeline, "timeline");
}

Status onDone(pumice_queue *queue, pumice_done_callback done, void *user) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  if (!done)
    return invalid("done is NULL; a function to call is needed");
  return queue->object->onDone([done, user](const Status &status) {
    done(user, static_cast<pumice_status>(status.code()), status.message().c_str());
  });
}

Status onTime(pumice_queue *queue, pumice_time_callback done, void *user) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  if (!done)
    return invalid("done is NULL; a function to call is needed");
  return queue->object->onTime([done, user](const Status &status, uint64_t nanoseconds) {
    done(user, static_cast<pumice_status>(status.code()), status.message().c_str(), nanoseconds);
  });
}

Status endCapture(pumice_queue *queue, pumice_graph **place) {
  if (place)
    *place = nullptr;
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  if (!place) {
    queue->object->dropCapture();
    return Status::ok();
  }
  PUMICE_TRY(Ref<hal::Graph> captured, queue->object->endCapture());
  *place = new pumice_graph;
  (*place)->object = std::move(captured);
  return Status::ok();
}

Status replay(pumice_queue *queue, pumice_graph *graph) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  PUMICE_RETURN_IF_ERROR(check(graph, "graph"));
  return queue->object->replay(*graph->object);
}

Status takeProfile(pumice_queue *queue, pumice_profile **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "profile"));
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  PUMICE_TRY(std::vector<hal::ProfileRecord> records, queue->object->takeProfile());
  *place = new pumice_profile;
  (*place)->records = std::move(records);
  return Status::ok();
}

static_assert(PUMICE_PROFILE_LAUNCH == int(hal::ProfileRecord::Kind::Dispatch) &&
              PUMICE_PROFILE_COPY == int(hal::ProfileRecord::Kind::Copy) &&
              PUMICE_PROFILE_FILL == int(hal::ProfileRecord::Kind::Fill) &&
              PUMICE_PROFILE_UPLOAD == int(hal::ProfileRecord::Kind::Upload) &&
              PUMICE_PROFILE_DOWNLOAD == int(hal::ProfileRecord::Kind::Download));

Status recordAt(const pumice_profile *profile, size_t index, pumice_profile_record *place) {
  PUMICE_RETURN_IF_ERROR(check(profile, "profile"));
  if (index >= profile->records.size())
    return Status(StatusCode::NotFound, "the profile has " +
                                            std::to_string(profile->records.size()) +
                                            " records; none has index " + std::to_string(index));
  const hal::ProfileRecord &from = profile->records[index];
  pumice_profile_record record = PUMICE_INIT(pumice_profile_record);
  record.kind = static_cast<pumice_profile_kind>(from.kind);
  record.label = from.label.c_str();
  record.device_begin = from.deviceBegin;
  record.device_end = from.deviceEnd;
  record.host_nanoseconds = from.hostNanoseconds;
  record.bytes = from.bytes;
  return writeStruct(place, record, "record");
}

Status createTimeline(pumice_device *device, uint64_t initial, pumice_timeline **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "timeline"));
  PUMICE_RETURN_IF_ERROR(check(device, "device"));
  PUMICE_TRY(Ref<hal::Device> working, device->working());
  PUMICE_TRY(Ref<hal::Timeline> made, working->createTimeline(initial));
  *place = new pumice_timeline;
  (*place)->object = std::move(made);
  return Status::ok();
}

Status timelineValue(const pumice_timeline *timeline, uint64_t *place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "value"));
  PUMICE_RETURN_IF_ERROR(check(timeline, "timeline"));
  PUMICE_TRY(*place, timeline->object->value());
  return Status::ok();
}

} // namespace

pumice_status pumice_queue_create(pumice_device *device, const pumice_queue_options *options,
                                  pumice_queue **queue) {
  return answer(create(device, options, queue));
}

pumice_status pumice_queue_upload(pumice_queue *queue, pumice_buffer *to, uint64_t to_offset,
                                  const void *from, uint64_t bytes) {
  return answer(upload(queue, to, to_offset, from, bytes));
}

pumice_status pumice_queue_download(pumice_queue *queue, void *to, pumice_buffer *from,
                                    uint64_t from_offset, uint64_t bytes) {
  return answer(download(queue, to, from, from_offset, bytes));
}

pumice_status pumice_queue_copy(pumice_queue *queue, pumice_buffer *to, uint64_t to_offset,
                                pumice_buffer *from, uint64_t from_offset, uint64_t bytes) {
  return answer(copy(queue, to, to_offset, from, from_offset, bytes));
}

pumice_status pumice_queue_fill(pumice_queue *queue, pumice_buffer *to, uint64_t offset,
                                uint64_t bytes, uint32_t pattern, uint32_t pattern_bytes) {
  return answer(fill(queue, to, offset, bytes, pattern, pattern_bytes));
}

pumice_status pumice_queue_wait(pumice_queue *queue, pumice_timeline *timeline, uint64_t value) {
  Status status = checkBoth(queue, timeline);
  return answer(status.isOk() ? queue->object->wait({timeline->object.get(), value})
                              : std::move(status));
}

pumice_status pumice_queue_signal(pumice_queue *queue, pumice_timeline *timeline, uint64_t value) {
  Status status = checkBoth(queue, timeline);
  return answer(status.isOk() ? queue->object->signal({timeline->object.get(), value})
                              : std::move(status));
}

pumice_status pumice_queue_on_done(pumice_queue *queue, pumice_done_callback done, void *user) {
  return answer(onDone(queue, done, user));
}

pumice_status pumice_queue_on_time(pumice_queue *queue, pumice_time_callback done, void *user) {
  return answer(onTime(queue, done, user));
}

pumice_status pumice_queue_flush(pumice_queue *queue) {
  Status status = check(queue, "queue");
  return answer(status.isOk() ? queue->object->flush() : std::move(status));
}

pumice_status pumice_queue_let_begin(pumice_queue *queue) {
  Status status = check(queue, "queue");
  return answer(status.isOk() ? queue->object->letBegin() : std::move(status));
}

pumice_status pumice_queue_finish(pumice_queue *queue, uint64_t timeout_nanoseconds) {
  Status status = check(queue, "queue");
  return answer(status.isOk() ? queue->object->finish(timeoutOf(timeout_nanoseconds))
                              : std::move(status));
}

pumice_status pumice_queue_health(const pumice_queue *queue) {
  Status status = check(queue, "queue");
  return answer(status.isOk() ? queue->object->device().health() : std::move(status));
}

pumice_status pumice_queue_begin_capture(pumice_queue *queue) {
  Status status = check(queue, "queue");
  return answer(status.isOk() ? queue->object->beginCapture() : std::move(status));
}

pumice_status pumice_queue_end_capture(pumice_queue *queue, pumice_graph **graph) {
  return answer(endCapture(queue, graph));
}

pumice_status pumice_queue_replay(pumice_queue *queue, pumice_graph *graph) {
  return answer(replay(queue, graph));
}

size_t pumice_graph_size(const pumice_graph *graph) {
  return check(graph, "graph").isOk() ? graph->object->size() : 0;
}

pumice_status pumice_queue_take_profile(pumice_queue *queue, pumice_profile **profile) {
  return answer(takeProfile(queue, profile));
}

size_t pumice_profile_count(const pumice_profile *profile) {
  return check(profile, "profile").isOk() ? profile->records.size() : 0;
}

pumice_status pumice_profile_get(const pumice_profile *profile, size_t index,
                                 pumice_profile_record *record) {
  return answer(recordAt(profile, index, record));
}

pumice_status pumice_timeline_create(pumice_device *device, uint64_t initial,
                                     pumice_timeline **timeline) {
  return answer(createTimeline(device, initial, timeline));
}

pumice_status pumice_timeline_value(const pumice_timeline *timeline, uint64_t *value) {
  return answer(timelineValue(timeline, value));
}

pumice_status pumice_timeline_wait(pumice_timeline *timeline, uint64_t value,
                                   uint64_t timeout_nanoseconds) {
  Status status = check(timeline, "timeline");
  return answer(status.isOk() ? timeline->object->wait(value, timeoutOf(timeout_nanoseconds))
                              : std::move(status));
}

pumice_status pumice_timeline_signal(pumice_timeline *timeline, uint64_t value) {
  Status status = check(timeline, "timeline");
  return answer(status.isOk() ? timeline->object->signal(value) : std::move(status));
}
