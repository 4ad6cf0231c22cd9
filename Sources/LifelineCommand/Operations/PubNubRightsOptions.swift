import ArgumentParser
import Identifiers
import PubNubProtocol

/// Options for the rights of a PubNub token.
struct PubNubRightsOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A channel that the token grants rights to; may be repeated.", valueName: "name[=rights]"))
    var channel: [String] = []

    @Option(
        help: ArgumentHelp(
            "Channels that match this regular expression, and that the token grants rights to; may be repeated.",
            valueName: "regex[=rights]"))
    var channelPattern: [String] = []

    @Option(help: ArgumentHelp("A channel group that the token grants rights to; may be repeated.", valueName: "name[=rights]"))
    var group: [String] = []

    @Option(
        help: ArgumentHelp(
            "Channel groups that match this regular expression, and that the token grants rights to; may be repeated.",
            valueName: "regex[=rights]"))
    var groupPattern: [String] = []

    @Option(help: ArgumentHelp("A user whose metadata the token grants rights to; may be repeated.", valueName: "uuid[=rights]"))
    var uuid: [String] = []

    @Option(
        help: ArgumentHelp(
            "Users that match this regular expression, and whose metadata the token grants rights to; may be repeated.",
            valueName: "regex[=rights]"))
    var uuidPattern: [String] = []

    var isEmpty: Bool {
        [channel, channelPattern, group, groupPattern, uuid, uuidPattern].allSatisfy(\.isEmpty)
    }

    func grants() throws(CommandFailure) -> (resources: PubNubGrants, patterns: PubNubGrants) {
        let resources = PubNubGrants(
            channels: try Self.rights(channel, of: "--channel", otherwise: [.read, .write]),
            groups: try Self.rights(group, of: "--group", otherwise: .read),
            users: try Self.rights(uuid, of: "--uuid", otherwise: .get))
        let patterns = PubNubGrants(
            channels: try Self.rights(channelPattern, of: "--channel-pattern", otherwise: [.read, .write]),
            groups: try Self.rights(groupPattern, of: "--group-pattern", otherwise: .read),
            users: try Self.rights(uuidPattern, of: "--uuid-pattern", otherwise: .get))
        for (option, rights) in [
            ("--channel-pattern", patterns.channels), ("--group-pattern", patterns.groups), ("--uuid-pattern", patterns.users),
        ] {
            for name in rights.keys {
                do throws(PubNubAccessPatternError) {
                    _ = try PubNubAccessPattern(name.text)
                } catch {
                    throw CommandFailure(
                        "\(option): \"\(name.text.prefix(60).printable)\" is not a supported regular expression. The "
                            + "error is at character \(error.position + 1).", .usage)
                }
            }
        }
        return (resources, patterns)
    }

    private static func rights(
        _ texts: [String], of option: String, otherwise usual: PubNubRights
    ) throws(CommandFailure) -> PubNubGrants.Rights {
        var found: PubNubGrants.Rights = [:]
        for text in texts {
            let (name, rights) = try split(text, option)
            guard !name.isEmpty else { throw CommandFailure("\(option) needs a name in front of the =.", .usage) }
            found[Identifier(name), default: []].formUnion(rights ?? usual)
        }
        return found
    }

    /// Splits `name=rights` at the last `=`, which must be followed by rights. Without any `=` the whole text is the name.
    static func split(_ text: String, _ option: String) throws(CommandFailure) -> (name: String, rights: PubNubRights?) {
        guard let sign = text.lastIndex(of: "=") else { return (text, nil) }
        var rights: PubNubRights = []
        for word in text[text.index(after: sign)...].split(separator: ",", omittingEmptySubsequences: false) {
            guard let right = PubNubRights.named.first(where: { $0.name == word })?.right else {
                throw CommandFailure(
                    "\(option): \"\(word.prefix(60).printable)\" is not a right. There are "
                        + PubNubRights.named.map(\.name).joined(separator: ", ") + ".", .usage)
            }
            rights.formUnion(right)
        }
        return (String(text[..<sign]), rights)
    }
}

extension PubNubRights {
    /// The rights by their words on the command line. The last word, `all`, stands for all rights.
    static let named: [(name: String, right: PubNubRights)] = [
        ("read", .read), ("write", .write), ("manage", .manage), ("delete", .delete), ("create", .create), ("get", .get),
        ("update", .update), ("join", .join), ("all", .all),
    ]

    /// The words of these rights, such as `read, write`.
    var words: [String] { Self.named.dropLast().filter { contains($0.right) }.map(\.name) }
}
