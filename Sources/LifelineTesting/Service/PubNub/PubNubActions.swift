import EngineRuntime
import Identifiers
import PubNubProtocol
import WireCoding

/// A message action on a message of a PubNub channel.
struct TestAction: Sendable {
    let channel: String
    let action: PubNubMessageAction
}

// Answering requests about message actions. Reactions are message actions of one type.
extension ServiceState {
    /// The type of message actions that `Channel.addReaction(_:to:)` uses for reactions.
    static let reactionType = "reaction"

    /// Answers `POST /v1/message-actions/KEY/channel/CHANNEL/message/TIMETOKEN`, and `DELETE` with `/action/TIMETOKEN` at the end of the
    /// path.
    mutating func pubnubActions(_ id: UInt64, _ line: DecodedRequest) {
        let (name, user) = (line.path[4], line.query["uuid"] ?? "me")
        guard let message = Timetoken(line.path[6]), keeps(message, on: name) else {
            return refuse(id, status: 404, words: "There is no message with this timetoken in the history of the channel.")
        }
        if line.method == "DELETE" {
            let added = line.path.count > 8 ? Timetoken(line.path[8]) : nil
            guard let index = actions.firstIndex(where: { $0.action.timetoken == added && $0.action.publisher.isExactly(user) })
            else { return refuse(id, status: 404, words: "No message action found with the given timetoken.") }
            removeAction(at: index)
            return finish(id, json: #"{"status":200,"data":{}}"#)
        }
        let body = try? JSONText(String(decoding: line.body, as: UTF8.self))
        guard let type = body?["type"]?.string, let value = body?["value"]?.string else {
            return refuse(id, status: 400, words: "Request payload contained invalid input.")
        }
        guard let action = addAction(type, value, to: message, on: name, by: user) else {
            return refuse(id, status: 409, words: "Action Already Added")
        }
        finish(id, json: #"{"status":200,"data":\#(action.json)}"#)
    }

    func keeps(_ message: Timetoken, on name: String) -> Bool {
        stored.contains { $0.tick == message.rawValue && $0.channel.isExactly(name) }
    }

    /// Adds a message action. Returns nil when the user has added an equal action before.
    mutating func addAction(
        _ type: String, _ value: String, to message: Timetoken, on name: String, by user: String
    ) -> PubNubMessageAction? {
        guard actionIndex(type, value, on: message, by: user) == nil else { return nil }
        let action = PubNubMessageAction(
            type: type, value: value, publisher: user, messageTimetoken: message, timetoken: Timetoken(rawValue: nextTick()))
        actions.append(TestAction(channel: name, action: action))
        tell("added", action, on: name)
        return action
    }

    func actionIndex(_ type: String, _ value: String, on message: Timetoken, by user: String) -> Int? {
        actions.firstIndex {
            $0.action.messageTimetoken == message && $0.action.publisher.isExactly(user) && $0.action.type.isExactly(type)
                && $0.action.value.isExactly(value)
        }
    }

    mutating func removeAction(at index: Int) {
        let removed = actions.remove(at: index)
        tell("removed", removed.action, on: removed.channel)
    }

    /// The member `,"actions":{"<type>":{"<value>":[…]}}` of a message in the history, as JSON text.
    func actionsMember(of message: UInt64) -> String {
        let own = actions.map(\.action).filter { $0.messageTimetoken.rawValue == message }
        let types = Set(own.map { Identifier($0.type) }).sorted().map { type in
            let ofType = own.filter { Identifier($0.type) == type }
            let values = Set(ofType.map { Identifier($0.value) }).sorted().map { value in
                let users = ofType.filter { Identifier($0.value) == value }.map {
                    #"{"uuid":\#(JSONWriter.string($0.publisher)),"actionTimetoken":"\#($0.timetoken)"}"#
                }
                return "\(JSONWriter.string(value.text)):[\(users.joined(separator: ","))]"
            }
            return "\(JSONWriter.string(type.text)):{\(values.joined(separator: ","))}"
        }
        return types.isEmpty ? "" : #","actions":{\#(types.joined(separator: ","))}"#
    }

    private mutating func tell(_ event: String, _ action: PubNubMessageAction, on name: String) {
        let payload = #"{"source":"actions","version":"1.0","event":"\#(event)","data":\#(action.json)}"#
        publish(
            TestPubNubMessage(
                tick: nextTick(), channel: name, payload: Array(payload.utf8), publisher: action.publisher, kind: .action),
            isStored: false)
    }

    private mutating func refuse(_ id: UInt64, status: Int, words: String) {
        let body = #"{"status":\#(status),"error":{"source":"actions","message":\#(JSONWriter.string(words))}}"#
        finish(id, status: status, Array(body.utf8))
    }
}

extension PubNubMessageAction {
    fileprivate var json: String {
        #"{"type":\#(JSONWriter.string(type)),"value":\#(JSONWriter.string(value)),"uuid":\#(JSONWriter.string(publisher)),"#
            + #""messageTimetoken":"\#(messageTimetoken)","actionTimetoken":"\#(timetoken)"}"#
    }
}

extension TestService {
    /// Another user adds a reaction to a message, as `Channel.addReaction(_:to:)` does. Only PubNub has reactions.
    ///
    /// - Parameters:
    ///   - name: the reaction, such as `👍`.
    ///   - id: the id of a message in the history.
    ///   - channel: the channel of the message.
    ///   - user: the id of the user who reacts.
    /// - Throws: ``TestServiceError/Code/wrongMember`` when the history has no such message, and when the user has already added the same
    ///   reaction.
    public func addReaction(
        _ name: String, to id: String, on channel: String, from user: String
    ) async throws(TestServiceError) {
        try await act { (state) throws(TestServiceError) in
            guard let message = Timetoken(id), state.keeps(message, on: channel),
                state.addAction(ServiceState.reactionType, name, to: message, on: channel, by: user) != nil
            else {
                throw TestServiceError(
                    .wrongMember, "The channel has no message with this id, or \(user) has already added this reaction.")
            }
        }
    }

    /// Another user removes a reaction from a message.
    ///
    /// - Throws: ``TestServiceError/Code/wrongMember`` when the user has not added this reaction.
    public func removeReaction(
        _ name: String, from id: String, on channel: String, of user: String
    ) async throws(TestServiceError) {
        try await act { (state) throws(TestServiceError) in
            guard let message = Timetoken(id),
                let index = state.actionIndex(ServiceState.reactionType, name, on: message, by: user)
            else { throw TestServiceError(.wrongMember, "\(user) has not added this reaction to the message.") }
            state.removeAction(at: index)
        }
    }
}
