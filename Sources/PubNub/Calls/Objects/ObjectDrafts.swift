import Foundation
import PubNubProtocol
import WireCoding

/// The sort order, filter and bounds of a request for a page of an App Context list.
struct ObjectPageDraft {
    var sort: [String] = []
    var filter: String?
    var start: String?
    var end: String?
    var limit: UInt = 100
    var includesCount = false

    /// The default page of the Cocoa SDK's requests, which asks for the total count.
    static let counted = ObjectPageDraft(includesCount: true)

    var page: PubNubObjectPage {
        PubNubObjectPage(
            sort: sort, filter: filter, start: start, end: end, limit: limit > 0 ? Int(clamping: limit) : nil,
            includesCount: includesCount)
    }
}

/// The arguments of a request about the metadata of a user or a channel.
struct ObjectDraft {
    /// The id of the user or channel; nil for the client's user.
    var id: String?
    var fields: [String: String] = [:]
    var custom: [AnyHashable: Any]?
    var include: [String] = []
    var page = ObjectPageDraft()

    /// Encodes the fields to set as a JSON object.
    func content() throws(PubNubProblem) -> JSONText {
        var content: [AnyHashable: Any] = fields
        if let custom { content["custom"] = try Self.checked(custom) }
        return try JSONArguments.object(content, "metadata")
    }

    /// Checks that your own fields are strings, numbers, booleans or null, and returns them by name.
    static func checked(_ custom: [AnyHashable: Any]) throws(PubNubProblem) -> [String: Any] {
        var fields: [String: Any] = [:]
        for (key, value) in custom {
            guard let name = key.base as? String, value is String || value is NSNumber || value is Bool || value is NSNull else {
                throw .badArguments(
                    "A custom field has a name that is not a string, or a value that is not a string, number, boolean or null.")
            }
            fields[name] = value
        }
        return fields
    }
}

/// The arguments of a request that changes or fetches memberships of a user or members of a channel.
struct RelationDraft {
    var operation: PNOperationType
    /// The user id or the channel's name; nil for the client's user.
    var id: String?
    var set: [[AnyHashable: Any]] = []
    var remove: [String] = []
    var include: [String] = []
    var page = ObjectPageDraft()

    /// Encodes changes of memberships as JSON: `{"set":[{"channel":{"id":"c"},"custom":{…}}],"delete":[{"channel":{"id":"c"}}]}`.
    ///
    /// - Parameter key: the key of the id in each entry: `channel` for a user's memberships, `uuid` for a channel's members.
    func content(_ key: String) throws(PubNubProblem) -> JSONText {
        guard !set.isEmpty || !remove.isEmpty else {
            throw .badArguments("The request for memberships names no \(key) to set or to remove. Pass at least one \(key).")
        }
        var added: [[String: Any]] = []
        for entry in set {
            guard let id = entry[key] as? String, !id.isEmpty else {
                throw .badArguments(
                    "An entry of the memberships to set has no \(key). Pass dictionaries with \(key) and, optionally, custom.")
            }
            var member: [String: Any] = [key: ["id": id]]
            if let custom = entry["custom"] as? [AnyHashable: Any] { member["custom"] = try ObjectDraft.checked(custom) }
            added.append(member)
        }
        var content: [AnyHashable: Any] = [:]
        if !added.isEmpty { content["set"] = added }
        if !remove.isEmpty { content["delete"] = remove.map { [key: ["id": $0]] } }
        return try JSONArguments.object(content, "list of memberships")
    }
}
