import NexconnProtocol
import RealtimeHub

// Open channels (session document, section 8).
extension NexconnApplication {
    func performOpen(_ request: NexconnRequest, by caller: NexconnCaller, reply: @escaping NexconnAnswering) {
        reply(.failure(.unknown))
    }

    /// A message was sent and is durable. Called without a lock.
    func announce(_ message: NexconnMessage, by caller: NexconnCaller) {}

    /// Tells connected devices what has come about.
    func tell(_ news: ChatNews, _ change: inout NexconnChange) {}
}
