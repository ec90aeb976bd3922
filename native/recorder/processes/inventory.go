// Package processes sees what is in a cell already when a recording begins.
package processes

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"recorder/kernel"
)

const cgroups = "/sys/fs/cgroup"

// Process is one that runs already.
type Process struct {
	PID       int      `json:"pid"`
	Parent    int      `json:"ppid"`
	Cgroup    uint64   `json:"cgroup"`
	Net       uint32   `json:"net"`
	Arguments []string `json:"argv"`
}

// Hierarchy is where the tree of cgroups lies in which every process has a telling place, and the
// kernel's number of it: version 2 where it is alone, else the one that systemd names its own.
func Hierarchy() (folder string, number int32, err error) {
	if _, err := os.Stat(cgroups + "/cgroup.controllers"); err == nil {
		return cgroups, kernel.Unified, nil
	}
	content, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", 0, err
	}
	for line := range strings.Lines(string(content)) {
		id, rest, _ := strings.Cut(line, ":")
		if strings.HasPrefix(rest, "name=systemd:") {
			number, err := strconv.ParseInt(id, 10, 32)
			return cgroups + "/systemd", int32(number), err
		}
	}
	return "", 0, fmt.Errorf("this host has neither cgroup version 2 alone nor systemd's hierarchy")
}

// Namespace is the place of a process's PID namespace: how deep it lies, and its number.
func Namespace(pid int) (level int32, number uint32, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(status)) {
		if numbers, found := strings.CutPrefix(line, "NSpid:"); found {
			level = int32(len(strings.Fields(numbers)) - 1)
		}
	}
	number, err = namespaceNumber(pid, "pid")
	return level, number, err
}

// Look lists the cgroups below one of them, and what runs there. What ends meanwhile is left out.
func Look(hierarchy string, number int32, top string) ([]kernel.Cgroup, []Process, error) {
	var places []kernel.Cgroup
	ids := map[string]uint64{}
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return skipGone(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			return skipGone(err)
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return fmt.Errorf("%s has no inode", path)
		}
		place := kernel.Cgroup{ID: stat.Ino, Path: strings.TrimPrefix(path, hierarchy)}
		ids[place.Path] = place.ID
		places = append(places, place)
		return nil
	}
	if err := filepath.WalkDir(filepath.Join(hierarchy, top), walk); err != nil {
		return nil, nil, err
	}
	// Not by the cgroups' lists of processes: those are in the numbers of whoever reads them.
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, nil, err
	}
	var found []Process
	for _, folder := range folders {
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			return nil, nil, err
		}
		id, inside := ids[cgroupOf(pid, number)]
		if !inside {
			continue
		}
		if process, ok := process(pid, id); ok {
			found = append(found, process)
		}
	}
	return places, found, nil
}

// cgroupOf is the path of a process's cgroup in a hierarchy; empty: it has ended.
func cgroupOf(pid int, hierarchy int32) string {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(content)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) == 3 && parts[0] == strconv.Itoa(int(hierarchy)) {
			return parts[2]
		}
	}
	return ""
}

// process reads about a process; false: it has ended.
func process(pid int, cgroup uint64) (Process, bool) {
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return Process{}, false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, false
	}
	// The name in brackets may hold anything, brackets too.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return Process{}, false
	}
	net, err := namespaceNumber(pid, "net")
	if err != nil {
		net = 0 // whose it is counts more than in which network it is
	}
	return Process{pid, parent, cgroup, net, kernel.Split(command)}, true
}

// namespaceNumber reads a link such as "net:[4026531840]".
func namespaceNumber(pid int, kind string) (uint32, error) {
	target, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, kind))
	if err != nil {
		return 0, err
	}
	digits := strings.Trim(strings.TrimPrefix(target, kind+":"), "[]")
	number, err := strconv.ParseUint(digits, 10, 32)
	return uint32(number), err
}

func skipGone(err error) error {
	if err == nil || os.IsNotExist(err) || err == syscall.ENODEV {
		return nil
	}
	return err
}
