import NexconnProtocol
import RealtimeHub

// Groups (session document, section 7).
extension NexconnApplication {
    func performGroup(_ request: NexconnRequest, by caller: NexconnCaller, reply: @escaping NexconnAnswering) {
        reply(.failure(.unknown))
    }
}
