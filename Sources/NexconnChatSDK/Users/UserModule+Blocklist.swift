import ChatProtocol
import EngineRuntime
import Identifiers

// Reads and changes the blocklist. The service refuses messages of blocked users to this user with error 405.
extension UserModule {
    /// Blocks a user: messages of that user no longer reach the signed-in user.
    public func addToBlocklist(userId: String, completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.block([userId]), completion: engine.confirming(completion))
    }

    /// Removes a user from the blocklist.
    public func removeFromBlocklist(userId: String, completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.unblock([userId]), completion: engine.confirming(completion))
    }

    /// Loads the ids of all blocked users.
    public func getBlocklist(completion: ((_ userIds: [String]?, _ error: NCError?) -> Void)?) {
        blocked(engine.answering(completion))
    }

    /// Loads whether a user is on the blocklist.
    public func checkBlocked(userId: String, completion: ((_ isBlocked: Bool, _ error: NCError?) -> Void)?) {
        let block = CallerBlock(completion)
        let registry = engine.registry
        blocked { result in
            registry.run {
                switch result {
                case .success(let users): block(users.contains { $0.isExactly(userId) }, nil)
                case .failure(let error): block(false, error)
                }
            }
        }
    }

    /// Blocks a user: messages of that user no longer reach the signed-in user.
    ///
    /// - Throws: the reason why the request failed.
    public func block(_ userId: String) async throws(NCError) {
        try await awaiting { engine.ask(.block([userId]), completion: $0) }
    }

    /// Removes a user from the blocklist.
    ///
    /// - Throws: the reason why the request failed.
    public func unblock(_ userId: String) async throws(NCError) {
        try await awaiting { engine.ask(.unblock([userId]), completion: $0) }
    }

    /// Loads the ids of all blocked users.
    ///
    /// - Throws: the reason why the service did not answer.
    public func blocklist() async throws(NCError) -> [String] {
        try await awaiting { blocked($0) }
    }

    private func blocked(_ completion: @escaping Completion<[String]>) {
        engine.ask(.blocklist, completion: completion) { _, answer throws(NCError) in
            guard let users = answer.blocklist else { throw .strangeAnswer }
            return users
        }
    }
}
