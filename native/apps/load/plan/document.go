package plan

import "go.yaml.in/yaml/v3"

// document is the file as written; see the package's comment for what it means.
type document struct {
	Tables   map[string]string `yaml:"tables"`
	Journeys []journeyEntry    `yaml:"journeys"`
}

type journeyEntry struct {
	Name       string          `yaml:"name"`
	Weight     int             `yaml:"weight"`
	DeadlineMS *int            `yaml:"deadline_ms"`
	Calls      []string        `yaml:"calls"`
	Variables  []variableEntry `yaml:"variables"`
	Steps      []stepEntry     `yaml:"steps"`
}

// variableEntry has a name and exactly one of the other fields.
type variableEntry struct {
	Name      string          `yaml:"name"`
	Row       string          `yaml:"row"`
	OneOf     yaml.Node       `yaml:"one_of"`
	Integer   []int64         `yaml:"integer"`
	Date      []string        `yaml:"date"`
	DaysAfter *daysAfterEntry `yaml:"days_after"`
	Unique    string          `yaml:"unique"`
}

type daysAfterEntry struct {
	Date string `yaml:"date"`
	Days string `yaml:"days"`
}

type stepEntry struct {
	Name        string            `yaml:"name"`
	Method      string            `yaml:"method"`
	Path        string            `yaml:"path"`
	Query       map[string]string `yaml:"query"`
	Headers     map[string]string `yaml:"headers"`
	Form        map[string]string `yaml:"form"`
	JSON        yaml.Node         `yaml:"json"`
	Expect      expectEntry       `yaml:"expect"`
	Capture     map[string]string `yaml:"capture"`
	Acknowledge *acknowledgeEntry `yaml:"acknowledge"`
}

type expectEntry struct {
	Status int              `yaml:"status"`
	JSON   []assertionEntry `yaml:"json"`
}

// assertionEntry has a path, exactly one of the next four, and perhaps a tolerance.
type assertionEntry struct {
	Path      string    `yaml:"path"`
	Equals    yaml.Node `yaml:"equals"`
	Contains  yaml.Node `yaml:"contains"`
	Length    yaml.Node `yaml:"length"`
	Exists    *bool     `yaml:"exists"`
	Tolerance float64   `yaml:"tolerance"`
}

type acknowledgeEntry struct {
	ID     string    `yaml:"id"`
	Values yaml.Node `yaml:"values"`
}
