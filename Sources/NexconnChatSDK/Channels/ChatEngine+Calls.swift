import ChatDatabase
import ChatProtocol
import EngineRuntime

/// The completion of a call of this API. It is called once (rule NH-1).
typealias Completion<Value> = @Sendable (Result<Value, NCError>) -> Void

// Functions that implement the calls of this API. Arguments are read on the caller's thread, work is done on the client's queue, and the
// application's blocks are called on the callback queue (rules NH-1, NH-2).
extension ChatEngine {
    /// The client of the signed-in user. Throws when nobody is signed in.
    func signedIn() throws(NCError) -> ChatClient {
        guard let client else { throw NCError(.notConnectedYet, reason: "Nobody is signed in. Call NCEngine.connect first.") }
        return client
    }

    /// Runs `body` on the client's queue.
    func perform<Value: Sendable>(
        _ completion: @escaping Completion<Value>,
        _ body: @escaping @Sendable (ChatClient, @escaping Completion<Value>) throws(NCError) -> Void
    ) {
        do throws(NCError) {
            let client = try signedIn()
            client.work.async {
                do throws(NCError) {
                    try body(client, completion)
                } catch {
                    completion(.failure(error))
                }
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Reads or changes the local database on the client's queue.
    func local<Value: Sendable>(
        _ completion: @escaping Completion<Value>,
        _ body: @escaping @Sendable (ChatClient, ChatDatabase) throws(ChatDatabaseError) -> Value
    ) {
        perform(completion) { (client, completion) throws(NCError) in
            completion(.success(try client.local(body)))
        }
    }

    /// Sends a request to the server, and reads the answer on the client's queue.
    func ask<Value: Sendable>(
        _ request: ChatRequest, completion: @escaping Completion<Value>,
        _ read: @escaping @Sendable (ChatClient, ChatAnswer) throws(NCError) -> Value
    ) {
        perform(completion) { (client, completion) throws(NCError) in
            client.request(request) { result in
                completion(
                    result.flatMap { answer in
                        Result { () throws(NCError) in try read(client, answer) }
                    })
            }
        }
    }

    /// Sends a request whose answer has no data.
    func ask(_ request: ChatRequest, completion: @escaping Completion<Void>) {
        ask(request, completion: completion) { _, _ in }
    }

    /// Makes a completion that calls the application's block with a value or an error, on the callback queue.
    func answering<Value: Sendable>(_ block: ((Value?, NCError?) -> Void)?) -> Completion<Value> {
        guard block != nil else { return { _ in } }
        let block = CallerBlock(block)
        let registry = registry
        return { result in
            registry.run {
                switch result {
                case .success(let value): block(value, nil)
                case .failure(let error): block(nil, error)
                }
            }
        }
    }

    /// Makes a completion that calls the application's block with an error, or with nil for success, on the callback queue.
    func confirming<Value: Sendable>(_ block: ((NCError?) -> Void)?) -> Completion<Value> {
        guard block != nil else { return { _ in } }
        let block = CallerBlock(block)
        let registry = registry
        return { result in
            registry.run {
                switch result {
                case .success: block(nil)
                case .failure(let error): block(error)
                }
            }
        }
    }
}

extension ChatClient {
    /// Reads or changes the local database. Must be called on the client's work queue, ``work``.
    func local<Value>(
        _ body: (ChatClient, ChatDatabase) throws(ChatDatabaseError) -> Value
    ) throws(NCError) -> Value {
        guard let database else { throw NCError(.databaseClosed) }
        do {
            return try body(self, database)
        } catch {
            throw NCError(error.code, reason: "\(error)")
        }
    }
}

extension NCError {
    /// The error for an answer of the server that lacks requested values.
    static var strangeAnswer: NCError {
        NCError(
            code: -1, reason: "The server's answer lacks requested values: check that library and server have the same version.")
    }
}

/// Starts a call and waits for its completion. The completion resumes the waiting task directly, without the callback queue.
func awaiting<Value: Sendable>(
    _ start: (@escaping Completion<Value>) -> Void
) async throws(NCError) -> Value {
    let result: Result<Value, NCError> = await withCheckedContinuation { continuation in
        start { continuation.resume(returning: $0) }
    }
    return try result.get()
}
