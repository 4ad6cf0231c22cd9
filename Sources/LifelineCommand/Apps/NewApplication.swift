import OrderedCollections
import ServerStorage
import WireCoding

/// The settings of a new application, made from the options of `apps create` (rule AR-22).
struct NewApplication: Hashable, Sendable {
    /// The settings as a JSON object with the names that a configuration file uses.
    let value: JSONValue

    /// - Parameters:
    ///   - names: fields and the values of their options.
    ///   - limits: texts such as `connections=5000`.
    ///   - settings: further settings; options override them.
    init(
        names: [(field: String, value: String?)], limits: [String], secret: Secret?, settings: JSONValue?
    ) throws(CommandFailure) {
        var object = settings?.object ?? [:]
        for (field, value) in names { if let value { object[field] = .string(value) } }
        if let secret { object["secret"] = .string(secret.revealed) }
        var all = object["limits"]?.object ?? [:]
        for limit in limits {
            let parts = limit.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = parts.first, !name.isEmpty, let number = parts.last.flatMap({ Int($0) }) else {
                throw CommandFailure("--limit \(limit.printable) must be a name and a number, such as connections=5000.", .usage)
            }
            all[String(name)] = .number(JSONNumber(number))
        }
        if !all.isEmpty { object["limits"] = .object(all) }
        value = .object(object)
    }

    /// Reads the JSON object in the file that `--settings` names.
    static func settings(_ file: String) throws(CommandFailure) -> JSONValue {
        let bytes: [UInt8]
        do throws(FileContent.Failure) {
            bytes = try FileContent.read(file, limit: 65_536)
        } catch {
            throw CommandFailure("--settings \(file) \(error.reason).", .usage)
        }
        // The parser's own error is not shown, because it would quote the file, which may contain a secret.
        guard let value = try? JSONValue(parsing: bytes), value.object != nil else {
            throw CommandFailure("--settings \(file) must contain a JSON object, such as {\"clientEvents\": true}.", .usage)
        }
        return value
    }
}
