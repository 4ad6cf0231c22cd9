import ChatDatabase
import NexconnProtocol

extension Message {
    /// Sets pairs: direct and group channels; keys of at most 32 letters, digits, `+`, `=`, `-`, `_`, values of at most 4096
    /// characters.
    public func setMetadata(_ metadata: [String: String], completion: ((_ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        engine.changeMetadata(of: self, set: metadata, delete: [], taken(engine.confirming(completion)))
    }

    /// Deletes pairs.
    public func deleteMetadata(keys: [String], completion: ((_ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        engine.changeMetadata(of: self, set: [:], delete: keys, taken(engine.confirming(completion)))
    }

    /// Sets and deletes pairs.
    public func changeMetadata(set: [String: String] = [:], delete: [String] = []) async throws(NCError) {
        _ = try await awaiting { NCEngine.engine.changeMetadata(of: self, set: set, delete: delete, taken($0)) }
    }

    /// A copy of what is known, with a change.
    func changed(_ change: (inout LocalMessage) -> Void) -> LocalMessage {
        var local = local
        change(&local)
        return local
    }

    /// Takes over the changed metadata before the end is told.
    private func taken(_ completion: @escaping Completion<Message>) -> Completion<Message> {
        { result in
            if case .success(let changed) = result {
                let metadata = changed.metadata
                self.update { $0.options.metadata = metadata }
            }
            completion(result)
        }
    }
}
