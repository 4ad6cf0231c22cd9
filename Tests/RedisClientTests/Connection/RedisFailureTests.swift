import Testing

@testable import RedisClient

struct RedisFailureTests {
    @Test(
        arguments: [
            (.expired, "Redis was away until the time for the command had passed."),
            (.unanswered, "Redis did not answer the command in time."),
            (
                .lost(.noEcho),
                "The connection ended before Redis had answered. A message published to Redis did not come back in time."
            ),
            (.unsent(.unlocated), "There is no connection to Redis. None of the Redis servers that were asked knows a master."),
            (.overfull, "Too many commands wait for Redis."),
        ] as [(RedisFailure, String)])
    func `Logs and answers have a failure as a sentence`(failure: RedisFailure, text: String) {
        #expect("\(failure)" == text)
    }
}
