import NexconnProtocol
import RealtimeHub

// Users (session document, section 9).
extension NexconnApplication {
    func performUser(_ request: NexconnRequest, by caller: NexconnCaller, reply: @escaping NexconnAnswering) {
        reply(.failure(.unknown))
    }
}
