import LifelineServer
import Logging
import ServerRuntime

/// The part of one service in the settings of `lifeline serve` (rule SO-146).
///
/// The reader of settings, `config show`, reports and the check for public secrets use the list ``all(_:)`` of these sections. It also
/// contains the section of each module that declares one.
struct ServeSection: Sendable {
    /// The service that must be in the setting `services` for this section to apply; nil for a service that always runs.
    let service: ServiceKind?
    /// The members of the configuration file that this section reads.
    let members: [String]
    /// The environment variables that this section reads.
    let variables: [String]
    /// Reads the settings of this service from the options, the environment and the file.
    let read: @Sendable (SectionSources, inout ServeSettings) throws(CommandFailure) -> Void
    /// The rows of this service in the output of `config show`.
    let rows: @Sendable (SectionSources, ServeSettings) throws(CommandFailure) -> [ConfigListing.Row]
    /// The lines of this service in the report of `serve --check`.
    var report: @Sendable (ServeSettings) -> [String] = { _ in [] }
    /// The fields of this service in a new configuration file of `config init`.
    var draft: [(name: String, value: DraftValue)] = []
    /// A log message for the operator about these settings; nil when there is nothing to report.
    var notice: @Sendable (ServeSettings) -> (text: String, metadata: Logger.Metadata)? = { _ in nil }
    /// Whether an application has a secret that is published in this package.
    var hasPublicSecret: @Sendable (ServeSettings) -> Bool = { _ in false }
    /// The option and the variable that set the secret of a single application, for error texts.
    var secretOption = ""
    /// The settings that a reload passes to the service, given the set of running services. Nil for a service whose applications are in the
    /// registry of the server.
    var reloaded: @Sendable (ServeSettings, Set<ServiceKind>) -> (service: ServiceName, settings: any Sendable)? = {
        _, _ in nil
    }
    /// The number of applications and its name in the log, given the set of running services. Nil for a service without applications.
    var count: @Sendable (ServeSettings, Set<ServiceKind>) -> (name: String, count: Int)? = { _, _ in nil }

    /// The modules whose services `lifeline serve` can run: those of this package. A further service needs one more entry.
    static let modules: [any ServiceModule] = ServiceModules.all

    static let all = all(modules)

    /// The sections of Pusher, PubNub and chat, and of all modules that declare a section.
    static func all(_ modules: [any ServiceModule]) -> [ServeSection] {
        [pusher, pubnub, chat] + modules.compactMap { module in module.section.map { make($0, of: module) } }
    }

    /// Whether the section's service runs with these settings.
    func isOn(_ settings: ServeSettings) -> Bool { service.map { settings.services.contains($0) } ?? true }
}

/// The sources of the settings of services.
struct SectionSources: Sendable {
    let options: ServeOptions
    let environment: [String: String]
    let file: SettingsFile
}

extension ServeSection {
    /// Makes the section of a service whose applications are one object or a list of objects.
    ///
    /// - Parameters:
    ///   - members: the members of the file for a single application, and for a list.
    ///   - list: the variable that replaces these members.
    ///   - counted: the name of the number of applications in the log.
    ///   - written: reads the object or the list from the variable or the file.
    ///   - isPublic: whether an application has a secret that is published in this package.
    ///   - draft: the fields of an application in a new configuration file.
    ///   - line: makes the line about an application in the report of `serve --check`.
    static func make<Value: Sendable>(
        _ fields: ServiceFields<Value>, _ service: ServiceKind, in values: any WritableKeyPath<ServeSettings, [Value]> & Sendable,
        members: (one: String, several: String), list: String, counted: String,
        read: @escaping @Sendable (SectionSources) throws(CommandFailure) -> [Value],
        written: @escaping @Sendable (SectionSources) throws(CommandFailure) -> (one: SettingValue?, several: SettingValue?),
        isPublic: @escaping @Sendable (Value) -> Bool, draft: [(name: String, value: DraftValue)],
        line: @escaping @Sendable (Value, ServeSettings) -> String
    ) -> ServeSection {
        var section = ServeSection(
            service: service, members: members.one == members.several ? [members.one] : [members.one, members.several],
            variables: [list] + fields.variables,
            read: { sources, settings throws(CommandFailure) in
                settings[keyPath: values] = try read(sources)
                guard settings[keyPath: values].isEmpty, let list = try written(sources).several else { return }
                settings.emptyLists.append(EmptyList(service: service, value: list, word: fields.word))
            },
            rows: { sources, settings throws(CommandFailure) in
                ConfigListing.rows(
                    fields, settings[keyPath: values], name: members.one, list: members.several, written: try written(sources),
                    sources)
            })
        section.reloaded = { settings, services in
            (service.module, services.contains(service) ? settings[keyPath: values] : [])
        }
        section.count = { settings, services in
            (counted, services.contains(service) ? settings[keyPath: values].count : 0)
        }
        section.draft = draft
        section.report = { settings in
            guard !settings[keyPath: values].isEmpty else { return ["\(counted): none, until lifeline apps create makes one"] }
            return settings[keyPath: values].map { line($0, settings) }
        }
        section.hasPublicSecret = { $0[keyPath: values].contains(where: isPublic) }
        if let secret = fields.all.first(where: { $0.name == fields.secretField }) {
            section.secretOption = "\(fields.optionName(secret) ?? "") (\(fields.variable(secret)))"
        }
        return section
    }

    /// Makes the section of a service whose module declares the section itself: one object, whose fields a reload applies.
    static func make<Section: ServiceSection>(_ section: Section, of module: any ServiceModule) -> ServeSection {
        let name = section.name
        let fields = ServiceFields(
            word: "service", prefix: SettingNames.variable(name) + "_", all: section.fields.map { ServiceField($0) },
            development: section.unset, blank: section.unset, keys: [], secretField: "")
        var made = ServeSection(
            service: nil, members: [name], variables: fields.variables,
            read: { sources, settings throws(CommandFailure) in
                let values = try fields.read(
                    one: sources.file.sections[name], several: nil, options: sources.options, environment: sources.environment)
                settings.others[module.name] = values.first
            },
            rows: { sources, settings throws(CommandFailure) in
                ConfigListing.rows(
                    fields, [settings.others[module.name] as? Section.Settings ?? section.unset], name: name, list: name,
                    written: (sources.file.sections[name], nil), sources)
            })
        made.reloaded = { settings, _ in settings.others[module.name].map { (module.name, $0) } }
        return made
    }
}

extension ServiceField {
    /// Converts a field of a section that a service module declares.
    init(_ field: SectionField<Value>) {
        switch field.kind {
        case .text(let path):
            self.init(field.name, shown: { .string($0[keyPath: path]) }) { value, settings throws(CommandFailure) in
                settings[keyPath: path] = value.isNull ? "" : try value.string()
            }
        case .truth(let path): self = .truth(field.name, path)
        case .integer(let path, let range): self = .integer(field.name, path, in: range)
        case .seconds(let path, let range): self = .seconds(field.name, path, in: range)
        }
    }
}
