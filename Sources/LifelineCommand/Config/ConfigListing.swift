import LifelineServer
import WireCoding

/// The settings of a server with their sources. Rule CL-102.
struct ConfigListing {
    struct Row: Hashable {
        var name: String
        var value: ShownSetting
        /// Where the value comes from: `--port`, `LIFELINE_PORT`, `lifeline.json, line 3`, or `default`.
        var source: String
    }

    private(set) var rows: [Row] = []

    /// - Throws: all errors of the settings at once.
    init(
        _ options: ServeOptions, environment: [String: String], modules: [any ServiceModule] = ServeSection.modules
    ) throws(CommandFailure) {
        let trace = SettingTrace()
        let settings = try ServeSettings(options, environment: environment, trace: trace, modules: modules)
        rows = ServerSetting.all.map {
            Row(name: $0.name, value: $0.shown(settings), source: trace.sources[$0.name] ?? Self.unset)
        }
        let sources = SectionSources(
            options: options, environment: environment,
            file: try ServeSettings.file(options.base.config, environment: environment, sections: settings.sections))
        for section in settings.sections where section.isOn(settings) { rows += try section.rows(sources, settings) }
    }

    private static let unset = "default"

    /// The rows for the applications of one service.
    ///
    /// - Parameters:
    ///   - name: the name of the setting for a single application.
    ///   - list: the name of the setting for a list of applications.
    ///   - written: the object or list in the configuration.
    static func rows<Value>(
        _ fields: ServiceFields<Value>, _ values: [Value], name: String, list: String,
        written: (one: SettingValue?, several: SettingValue?), _ sources: SectionSources
    ) -> [Row] {
        if values.isEmpty, let several = written.several { return [Row(name: list, value: .strings([]), source: several.origin)] }
        let given = fields.given(sources.options)
        let elements = (try? written.several?.elements()) ?? nil
        var rows: [Row] = []
        for (index, value) in values.enumerated() {
            let prefix = elements == nil ? name : "\(list)[\(index)]"
            let element = elements.map { $0.indices.contains(index) ? $0[index] : nil } ?? written.one
            for field in fields.all {
                let variable = fields.variable(field)
                let source =
                    given.first { $0.field.name == field.name }.flatMap { fields.optionName($0.field) }
                    ?? (sources.environment[variable] == nil ? nil : variable) ?? origin(of: field, in: element)
                rows.append(Row(name: "\(prefix).\(field.name)", value: field.shown(value), source: source ?? unset))
            }
        }
        return rows
    }

    /// The place where an application's field is set, such as a line of the file. Nil when the object lacks the field, or has it with the
    /// value `null` and this value stands for the default.
    private static func origin<Value>(of field: ServiceField<Value>, in object: SettingValue?) -> String? {
        let parts = field.name.split(separator: ".").map(String.init)
        var problems = SettingProblems()
        var value = object
        for part in parts {
            let members = (try? value?.members(of: [part], &problems)) ?? nil
            value = members?.first { $0.key == part }?.value
        }
        guard let value, field.takesNull || !value.isNullJSON else { return nil }
        return value.origin
    }

    /// The rows as text in three columns: name, value and source.
    func lines(showsSecrets: Bool) -> [String] {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { row in
            let padding = String(repeating: " ", count: width - row.name.count)
            return "\(row.name)\(padding)  \(row.value.text(showsSecrets: showsSecrets))  (\(row.source.printable))"
        }
    }

    func jsonLines(showsSecrets: Bool) -> [String] {
        rows.map { row in
            var object = JSONObject()
            object.put("setting", row.name)
            object.put("value", json: row.value.json(showsSecrets: showsSecrets))
            object.put("source", row.source)
            return object.text
        }
    }
}
