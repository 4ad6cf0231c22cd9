import Testing

@testable import RedisClient

struct RedisFailureTests {
    @Test(
        arguments: [
            (.expired, "The command was not sent, because Redis could not be reached within its time limit."),
            (.unanswered, "Redis did not answer the command in time."),
            (
                .lost(.noEcho),
                "The connection ended before Redis had answered. A test message published to Redis was not received in time."
            ),
            (
                .unsent(.unlocated),
                "There is no connection to Redis. None of the queried Redis servers returned the address of a master."
            ),
            (.overfull, "The command was not sent, because too many commands already wait for Redis."),
        ] as [(RedisFailure, String)])
    func `Logs and answers have a failure as a sentence`(failure: RedisFailure, text: String) {
        #expect("\(failure)" == text)
    }
}
